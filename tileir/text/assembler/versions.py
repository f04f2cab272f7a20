"""What the version to be written lacks: everything a text uses of newer ones, where it uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tileir.formats.enums import POINTER_ATTRIBUTE
from tileir.formats.leaves import EnumValue
from tileir.formats.types import OPTIONAL_POINTER_ATTRIBUTE, TYPE
from tileir.formats.version import LATEST, Version
from tileir.ir import Op
from tileir.types import Pointer, Scalar, TensorView, Tile, Type
from tileir.write.body import default_of
from tileir.write.type_table import VARIANTS

from .diagnostics import Diagnostics


class Gate:
    """Notes what a version lacks; with the latest one there is nothing to note."""

    def __init__(self, version: Version, report: Diagnostics) -> None:
        self.version = version
        self.report = report
        self.open = version >= LATEST
        self._told: set[str] = set()

    def need(self, what: str, since: Version, at: int, length: int = 1) -> None:
        """Something that is used at a position exists since a version."""
        if since > self.version:
            self.report.add(f"{what} needs {since}, writing {self.version}", at, length)

    def type(self, type: Type, at: int) -> bool:
        """Whether a type and all that is in it is there. What is not is told once."""
        missing = [] if self.open else list(self._missing(type))
        for what, since in missing:
            if what not in self._told:
                self._told.add(what)
                self.need(what, since, at)
        return not missing

    def _missing(self, type: Type) -> Iterator[tuple[str, Version]]:
        """What of a type the version lacks, and which one has it."""
        name = type.name if isinstance(type, Scalar) else VARIANTS[type.__class__]
        parts = [(name, TYPE.by_name[name].since)]
        if isinstance(type, Pointer | TensorView) and type.attribute is not None:
            case = POINTER_ATTRIBUTE.by_name[type.attribute]
            since = max(OPTIONAL_POINTER_ATTRIBUTE.since, case.since)
            parts.append((f"pointer attribute {type.attribute}", since))
        yield from (part for part in parts if part[1] > self.version)
        match type:
            case Pointer():
                yield from self._missing(type.pointee)
            case Tile() | TensorView():
                yield from self._missing(type.element)
            case _ if hasattr(type, "view"):
                yield from self._missing(type.view)

    def op(self, op: Op, places: Mapping[str, Sequence[int]], at: int) -> None:
        """The slots of an op and the cases of its enums. Results are another matter.

        `places` says where slots are spelled, `at` where the op is.
        """
        spec = op.spec
        if self.open or spec.since > self.version:
            return
        for slot in spec.operands:
            if op.operands[slot.name]:
                where = (*places.get(slot.name, ()), at)[0]
                self.need(f"{spec.mnemonic}: {slot.name}", slot.since, where)
        for slot in spec.attributes:
            value, where = op.attributes[slot.name], (*places.get(slot.name, ()), at)[0]
            if value is None:
                continue
            if value != default_of(slot, op.operands):
                self.need(f"{spec.mnemonic}: {slot.name}", slot.since, where)
            if slot.since <= self.version and isinstance(slot.node, EnumValue):
                since = slot.node.enum.by_name[value].since
                self.need(f"{spec.mnemonic}: {slot.name} {value}", since, where)
