"""The forms of `red`, atomic updates that return no old value: when they apply, and their vectors.

`red` does not wait for old values. On some GPUs one `red` adds several adjacent floats: 16-bit ones
in pairs, and vectors of up to sixteen bytes. Each element is still updated atomically by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tileir.gpus import Feature, PtxVersion, Target
from tileir.ir import Op
from tileir.types import Tile


@dataclass(frozen=True, slots=True)
class _RedForm:
    """Addition to up to so many neighbours; the feature (None: all targets) and PTX it needs."""

    elements: int
    feature: Feature | None
    ptx: PtxVersion

    @property
    def pair(self) -> bool:
        """Whether it is of two elements in one word."""
        return self.elements == 2


_FORMS = {
    "f16": (_RedForm(2, None, (6, 3)), _RedForm(8, "red vectors", (8, 1))),
    "bf16": (_RedForm(2, "red bf16", (7, 8)), _RedForm(8, "red vectors", (8, 1))),
    "f32": (_RedForm(4, "red vectors", (8, 1)),),
}
PAIRS = ("f16", "bf16")
"""Elements of which two share a word. ptxas turns the addition of a single one into a loop."""


def is_red(op: Op, wanted: bool) -> bool:
    """Whether an update can be a `red`, given whether its old values have uses (`wanted`)."""
    order = op.attributes["memory_ordering_semantics"]
    return not wanted and order in ("relaxed", "release") and op.attributes["mode"] != "xchg"


def widest(op: Op, target: Target, wanted: bool, in_global: bool = True) -> int:
    """Return how many neighbours one instruction updates at most.

    `in_global` says that the memory is known to be global, as vectors require.
    """
    if not is_red(op, wanted):
        return 1
    forms = (it for it in _forms(op, target) if it.ptx <= target.ptx and (in_global or it.pair))
    return max((form.elements for form in forms), default=1)


def fewest(ops: Iterable[Op], target: Target) -> int:
    """Return how many neighbours a thread should hold at least: two where `red` adds pairs."""
    adds = (_element(op) in PAIRS and any(_forms(op, target)) for op in ops)
    return 2 if any(adds) else 1


def needs_of(ops: Sequence[Op], target: Target) -> Iterator[tuple[Feature | None, PtxVersion]]:
    """Return feature and PTX ISA version of all forms of `red` that the ops can use."""
    used = {value for op in ops for value in op.operand_list() if isinstance(value.type, Tile)}
    for op in ops:
        for form in _forms(op, target):
            if is_red(op, not used.isdisjoint(op.results)):
                yield form.feature, form.ptx


def _forms(op: Op, target: Target) -> Iterable[_RedForm]:
    forms = _FORMS.get(_element(op) or "", ())
    return (form for form in forms if form.feature is None or target.has(form.feature))


def _element(op: Op) -> str | None:
    """Return the element type of an op that adds floats to several elements; else None."""
    value = op.operands.get("arg") or op.operands.get("value")
    if value is None or op.attributes.get("mode") != "addf" or value.type.size == 1:
        return None
    return value.type.element.name
