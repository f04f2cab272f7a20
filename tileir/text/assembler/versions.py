"""The version gate: it reports everything in a text that is newer than the version to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tileir.formats.enums import POINTER_ATTRIBUTE
from tileir.formats.leaves import EnumValue
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.types import OPTIONAL_POINTER_ATTRIBUTE, TYPE
from tileir.formats.version import LATEST, PREVIEW, Version
from tileir.ir import Op
from tileir.types import (
    GatherScatterView,
    PartitionView,
    Pointer,
    PreviewType,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Type,
)
from tileir.write.body import default_of
from tileir.write.type_table import VARIANTS

from .diagnostics import Diagnostics


class Gate:
    """Reports what a version lacks; it is `open` for the latest version, which lacks nothing."""

    def __init__(self, version: Version, report: Diagnostics) -> None:
        self.version = version
        self.report = report
        self.open = version >= LATEST
        self._reported: set[str] = set()

    def need(self, what: str, since: Version, at: int, length: int = 1) -> None:
        """Report a use, at a position, of something that exists since a newer version."""
        if since > self.version:
            self.report.add(f"{what} needs {since}, writing {self.version}", at, length)

    def type(self, type: Type, at: int) -> bool:
        """Whether the version has a type and its parts; each missing part is reported once."""
        missing = [] if self.open else list(self._missing(type))
        for what, since in missing:
            if what not in self._reported:
                self._reported.add(what)
                self.need(what, since, at)
        return not missing

    def _missing(self, type: Type) -> Iterator[tuple[str, Version]]:
        """Yield the parts of a type that the version lacks, and the version that has them."""
        if isinstance(type, PreviewType):
            yield str(type), PREVIEW
            return
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
            case PartitionView() | StridedView() | GatherScatterView():
                yield from self._missing(type.view)

    def op(self, op: Op, positions: Mapping[str, Sequence[int]], at: int) -> None:
        """Report the slots of an op, and the cases of its enums, that the version lacks.

        `positions` has those of slots, `at` is that of the op. Results are left to the caller.
        """
        spec = op.spec
        if self.open or not isinstance(spec, Spec) or spec.since > self.version:
            return
        for slot in spec.operands:
            if op.operands[slot.name]:
                position = (*positions.get(slot.name, ()), at)[0]
                self.need(f"{spec.mnemonic}: {slot.name}", slot.since, position)
        for slot in spec.attributes:
            value, position = op.attributes[slot.name], (*positions.get(slot.name, ()), at)[0]
            if value is None:
                continue
            if value != default_of(slot, op.operands):
                self.need(f"{spec.mnemonic}: {slot.name}", slot.since, position)
            if slot.since <= self.version and isinstance(slot.node, EnumValue):
                since = slot.node.enum.by_name[value].since
                self.need(f"{spec.mnemonic}: {slot.name} {value}", since, position)
