"""What is known of a compiled kernel besides its machine code: all that a launch needs.

It is made from the kernel when it is compiled, and from JSON when the machine code comes from the
cache.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tileir.types import Element, Pointer, Scalar


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """An entry as a launch sees it.

    elements      element types of its parameters
    offsets       where each argument lies in the struct that machine code reads them from, in bytes
    size          of that struct, in bytes
    written       numbers of the pointer parameters that the kernel may write through
    workspace     bytes of scratch memory that a thread needs
    may_run_long  whether a block may take long, or for ever: nothing without a loop does
    sites         the places that can report (see `reports`), each a dict that JSON can hold
    """

    symbol: str
    elements: tuple[Element, ...]
    offsets: tuple[int, ...]
    size: int
    written: frozenset[int]
    workspace: int
    may_run_long: bool = True
    sites: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As what JSON can hold."""
        return {
            "symbol": self.symbol,
            "elements": [str(element) for element in self.elements],
            "offsets": self.offsets,
            "size": self.size,
            "written": sorted(self.written),
            "workspace": self.workspace,
            "may_run_long": self.may_run_long,
            "sites": [dict(site) for site in self.sites],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KernelInfo:
        """The other way."""
        converted = {
            "elements": tuple(map(_element, data["elements"])),
            "offsets": tuple(data["offsets"]),
            "written": frozenset(data["written"]),
            "sites": tuple(data["sites"]),
        }
        return cls(**{**data, **converted})


def _element(text: str) -> Element:
    """The element type that is printed so."""
    pointer = re.fullmatch(r"ptr<(\w+)(?:, <(\w+)>)?>", text)
    return Pointer(Scalar(pointer[1]), pointer[2]) if pointer else Scalar(text)
