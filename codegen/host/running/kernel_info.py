"""The metadata of a compiled kernel: all that a launch needs besides its machine code.

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
    """The data of an entry that a launch needs.

    elements      element types of its parameters
    offsets       bytes from the start of the argument struct to each argument
    size          bytes of that struct
    written       numbers of the pointer parameters that the kernel may write through
    workspace     bytes of scratch memory that a thread needs
    may_run_long  whether a block may run long or for ever, which takes a loop
    sites         the points that can report (see `reports`), each a dict that JSON can hold
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
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KernelInfo:
        """Read what `to_json` returned."""
        converted = {
            "elements": tuple(map(_element, data["elements"])),
            "offsets": tuple(data["offsets"]),
            "written": frozenset(data["written"]),
            "sites": tuple(data["sites"]),
        }
        return cls(**{**data, **converted})


def _element(text: str) -> Element:
    """Parse an element type."""
    pointer = re.fullmatch(r"ptr<(\w+)(?:, <(\w+)>)?>", text)
    return Pointer(Scalar(pointer[1]), pointer[2]) if pointer else Scalar(text)
