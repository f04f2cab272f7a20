"""The metadata of a compiled kernel: all that a launch needs besides its machine code.

It is made from the kernel when it is compiled, and from JSON when the machine code comes from the
cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tileir.ir.type_kinds import SCALARS
from tileir.launch.roles import Roles
from tileir.launch.roles_form import are_roles, roles_fit
from tileir.launch.stored_values import conforms, element_of, is_element
from tileir.types import Element, Pointer

from .tally import are_counters, counters_fit


def _is_stored(name: object) -> bool:
    """Whether a name is one that handlers of sites know elements by."""
    return isinstance(name, str) and (name == "pointer" or name in SCALARS)


_TILE = {"element": _is_stored, "shape": [int], "offset": int}
_EVERY_SITE = {"kind": str, "op": str, "kernel": str, "function": str, "location": str}
_SITES = {
    "access": {"shape": [int], "bytes": int, "parameters": [int], "any": bool, "claims": [int]},
    "assert": {"message": str, "shape": [int]},
    "breakpoint": {"names": [str], "arguments": [_TILE]},
    "finding": {
        "problem": str,
        "shape": [int],
        "values": [{"name": str, "element": _is_stored, "signed": bool}],
    },
    "print": {"format": str, "arguments": [_TILE]},
    "trace": {"name": str, **_TILE},
}
"""Kind of a site -> the form of what its handler needs besides what every site has."""


def _is_site(site: object) -> bool:
    """Whether a value is a row that the handler of its kind can read."""
    kind = site.get("kind") if isinstance(site, dict) else None
    form = _SITES.get(kind) if isinstance(kind, str) else None
    return form is not None and conforms(site, {**_EVERY_SITE, **form})


_INFO = {
    "symbol": str,
    "elements": [is_element],
    "offsets": [int],
    "size": int,
    "written": [int],
    "workspace": int,
    "may_run_long": bool,
    "sites": [_is_site],
    "roles": lambda value: value is None or are_roles(value),
    "counters": lambda value: value is None or are_counters(value),
}


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """The data of an entry that a launch needs.

    elements      element types of its parameters
    offsets       bytes from the start of the argument struct to each argument
    size          bytes of that struct
    written       numbers of the pointer parameters that the kernel may write through
    workspace     bytes of scratch memory that a thread needs
    may_run_long  whether a block may run long or for ever, which takes a loop
    sites         the points that can report (see `reports`), each a dict that JSON can hold
    roles         which parameters are extents and strides of which arrays; None if unknown
    counters      what it counts while it runs (`tally.FORM`); None if it does not count
    """

    symbol: str
    elements: tuple[Element, ...]
    offsets: tuple[int, ...]
    size: int
    written: frozenset[int]
    workspace: int
    may_run_long: bool = True
    sites: tuple[Mapping[str, Any], ...] = ()
    roles: Roles | None = None
    counters: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Convert to values that JSON can hold."""
        return {
            "symbol": self.symbol,
            "elements": [str(element) for element in self.elements],
            "offsets": self.offsets,
            "size": self.size,
            "written": sorted(self.written),
            "workspace": self.workspace,
            "may_run_long": self.may_run_long,
            "sites": [dict(site) for site in self.sites],
            "roles": self.roles and self.roles.to_json(),
            "counters": self.counters,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KernelInfo:
        """Read what `to_json` returned; ValueError for anything else."""
        if not conforms(data, _INFO):
            raise ValueError("no metadata of a kernel")
        converted = {
            "elements": tuple(map(element_of, data["elements"])),
            "offsets": tuple(data["offsets"]),
            "written": frozenset(data["written"]),
            "sites": tuple(data["sites"]),
            "roles": data["roles"] and Roles.from_json(data["roles"]),
        }
        info = cls(**{**data, **converted})
        pointers = {n for n, element in enumerate(info.elements) if isinstance(element, Pointer)}
        beyond = any(offset >= info.size for offset in info.offsets)
        told = info.roles is None or roles_fit(info.roles, info.elements)
        fit = len(info.offsets) == len(info.elements) and info.written <= pointers and told
        counted = info.counters is None or counters_fit(info.counters, pointers)
        if beyond or not fit or not counted:
            raise ValueError("metadata of a kernel that contradict each other")
        return info
