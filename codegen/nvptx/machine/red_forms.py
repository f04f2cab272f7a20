"""Updates of memory that return nothing: which they are, and how many neighbours one changes.

`red` does not wait for old values. Some GPUs add several floats side by side with one of them:
halves in pairs, and vectors of up to sixteen bytes. Each element is still an update of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tileir.gpus import Feature, PtxVersion, Target
from tileir.ir import Op
from tileir.types import Tile


@dataclass(frozen=True, slots=True)
class _Form:
    """Sums of up to so many neighbours; the feature, None for all targets', and PTX they need."""

    elements: int
    feature: Feature | None
    ptx: PtxVersion

    @property
    def pair(self) -> bool:
        """Whether it is a single word."""
        return self.elements == 2


_FORMS = {
    "f16": (_Form(2, None, (6, 3)), _Form(8, "red vectors", (8, 1))),
    "bf16": (_Form(2, "red bf16", (7, 8)), _Form(8, "red vectors", (8, 1))),
    "f32": (_Form(4, "red vectors", (8, 1)),),
}
PAIRS = ("f16", "bf16")
"""Elements of which two share a word. ptxas makes a loop of a sum of one alone."""


def is_red(op: Op, wanted: bool) -> bool:
    """Whether an update can be a `red`, given whether anything wants the old values."""
    order = op.attributes["memory_ordering_semantics"]
    return not wanted and order in ("relaxed", "release") and op.attributes["mode"] != "xchg"


def widest(op: Op, target: Target, wanted: bool, in_global: bool = True) -> int:
    """How many neighbours one instruction changes at most.

    `in_global`: memory is known to be global, as it has to be for vectors.
    """
    if not is_red(op, wanted):
        return 1
    forms = (it for it in _forms(op, target) if it.ptx <= target.ptx and (in_global or it.pair))
    return max((form.elements for form in forms), default=1)


def fewest(ops: Iterable[Op], target: Target) -> int:
    """How many neighbours a thread should have at least, so that no half is alone."""
    adds = (_element(op) in PAIRS and any(_forms(op, target)) for op in ops)
    return 2 if any(adds) else 1


def needs_of(ops: Sequence[Op], target: Target) -> Iterator[tuple[Feature | None, PtxVersion]]:
    """Feature and PTX ISA version of all forms that the target has for the ops."""
    used = {value for op in ops for value in op.operand_list() if isinstance(value.type, Tile)}
    for op in ops:
        for form in _forms(op, target):
            if is_red(op, not used.isdisjoint(op.results)):
                yield form.feature, form.ptx


def _forms(op: Op, target: Target) -> Iterable[_Form]:
    forms = _FORMS.get(_element(op), ())
    return (form for form in forms if form.feature is None or target.has(form.feature))


def _element(op: Op) -> str | None:
    """What an op adds to several elements in memory, each by itself."""
    value = op.operands.get("arg") or op.operands.get("value")
    if op.attributes.get("mode") != "addf" or value.type.size == 1:
        return None
    return value.type.element.name
