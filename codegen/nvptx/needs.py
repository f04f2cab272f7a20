"""The features of a GPU and the version of PTX that the code of kernels needs.

They are part of the rows: of an atom, a form of `red`, an op of the tables here. Features that the
target lacks do not count, since code for it is generated in another way. A feature that only the
form of a target with the suffix a has makes the PTX one for that form (`Target.using`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tileir.codegen.scalar.ptx import PAIRS
from tileir.gpus import Feature, PtxVersion, Target
from tileir.ir import Body, Op

from .emit.driver_calls import LOWERINGS as DRIVER_CALLS
from .emit.multicast import LOWERINGS as MULTIMEM
from .emit.prints import LOWERINGS as PRINTS
from .machine import red_forms
from .machine.mma_atoms import Atom

Need = tuple[Feature | None, PtxVersion]
"""A feature (None if every target has it), and the lowest PTX ISA version that has it."""

CONTROLS_GRIDS = ("gdc_launch_dependents_tko", "gdc_wait_tko")
"""The ops that become griddepcontrol; they do nothing on GPUs where grids cannot overlap."""
_CALLS = frozenset({*DRIVER_CALLS, *PRINTS})
"""The ops that call functions of the driver."""

_OPS: dict[str, Need] = {
    "memory_fence_alias_tko": (None, (7, 5)),
    **dict.fromkeys(CONTROLS_GRIDS, ("griddepcontrol", (7, 8))),
    **dict.fromkeys(MULTIMEM, ("multimem", (8, 1))),
}
_MODES: dict[tuple[str, object], Need] = {("tanh", "approx"): (None, (7, 0))}
"""The needs of an op in one of its rounding modes."""
_CASTS = ("ftof", "ftoi", "itof")


def calling_op(body: Body) -> str | None:
    """Return the name of an op of a body that calls a function, None if it has none."""
    return next((op.name for op in body.walk() if op.name in _CALLS), None)


@dataclass(frozen=True, slots=True)
class Needs:
    """The needs of several ops together."""

    features: frozenset[Feature]
    ptx: PtxVersion


def needs_of(ops: Sequence[Op], atoms: Iterable[Atom], target: Target) -> Needs:
    """Return what the ops need of a target, and the atoms of their matrix products."""
    needs: list[Need] = [(atom.feature, atom.ptx) for atom in atoms]
    needs += [need for op in ops for need in _needs_of(op, target)]
    needs += red_forms.needs_of(ops, target)
    features: set[Feature] = {name for name, _ in needs if name and target.has(name)}
    versions = [ptx for name, ptx in needs if name is None or name in features]
    return Needs(frozenset(features), max([target.ptx, *versions]))


def _needs_of(op: Op, target: Target) -> Iterator[Need]:
    if need := _OPS.get(op.name):
        yield need
    if need := _MODES.get((op.name, op.attributes.get("rounding_mode"))):
        yield need
    if op.name in _CASTS and _has_pairs(op):
        yield "f8 conversions", target.ptx_of("f8 conversions")


def _has_pairs(op: Op) -> bool:
    kinds = (value.type for value in (*op.operand_list(), *op.results))
    return any(kind.element.name in PAIRS for kind in kinds)
