"""Decide which operands stay in shared memory as they are loaded, and are converted when read.

A tile that is converted between its load and a product has to pass through registers, so nothing
can copy it asynchronously: each iteration waits for memory. If the conversion is one that warps can
do to the registers that they multiply (`machine.operand_conversions`), the tile is staged as it is
instead. Each warp converts for itself, so this is for cheap conversions only, of loads that a loop
makes for each iteration and that may be copied ahead; `ldmatrix` has to read elements that are
narrower than the atom's. All products that read a tile agree about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.early_loads import EarlyLoad, loads_in
from tileir.codegen.block.types import Shared
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.machine.operand_conversions import OperandConversion, operand_conversion
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Op, Value

from .async_loads import copy_problem
from .mma_plan import ProductPlan, neighbours_along, paired_along
from .mma_reads import MatrixReads, reads_of
from .staged import root_of, seen_as, staged_bases
from .view_facts import inner_of

MOST_INSTRUCTIONS = 6
"""The most instructions that convert operands, for each instruction that multiplies."""
SLOTS = ("lhs", "rhs")
_LOADS = (Family.VIEW_LOAD, Family.POINTER_LOAD)


class Reading(NamedTuple):
    """An operand that is converted on its way from a load to a product."""

    root: Value
    """The tile as it is loaded."""
    conversion: OperandConversion
    when_read: bool
    """Whether it is converted when it is read, not before it is stored to shared memory."""
    reason: Reason


Readings = dict[tuple[Op, str], Reading]
"""Product and slot -> how its operand is converted."""


def convert_when_read(
    kernel: KernelIR,
    products: Mapping[Op, ProductPlan],
    threads: int,
    target: Target,
) -> tuple[dict[Op, ProductPlan], Readings]:
    """Return the plans of a kernel's products, and the operands that are converted."""
    facts: Divisibility = kernel.facts(Divisibility)
    found: Readings = {}
    plans = dict(products)
    early = early_tiles(kernel, target) if products else set()
    for op, plan in products.items():
        if plan.atom.of_warpgroup:  # tensor cores read them as they lie in shared memory
            continue
        for slot in SLOTS:
            root, conversion = _way_of(op.operands[slot], plan, target)
            if conversion is not None:
                why = why_not_ahead(op, root, early, threads, facts)
                found[op, slot] = Reading(root, conversion, why is None, why or Reason("read"))
    while True:
        for op, plan in products.items():
            if not plan.atom.of_warpgroup:
                plans[op] = _order(op, plan, found, facts)
        refused = dict(_refused(plans, found, facts))
        if not refused:
            return plans, found
        for key, why in refused.items():
            found[key] = found[key]._replace(when_read=False, reason=why)


def _way_of(
    value: Value, plan: ProductPlan, target: Target
) -> tuple[Value, OperandConversion | None]:
    """Return the tile that an operand is loaded as, and the conversion from there."""
    root, by = root_of(value), ""
    op = root.owner
    if isinstance(op, Op) and op.name == "ftof":
        root = root_of(op.operands["from"])
        if root.type.element.name == "f32":
            by = op.attributes["rounding_mode"]
    elif isinstance(op, Op) and op.name == "itof":
        root, by = root_of(op.operands["from"]), op.attributes["signedness"]
    between = value.type.element.name
    if root is not root_of(value) and between != plan.operand_type:
        return root, None
    return root, operand_conversion(root.type.element.name, plan.operand_type, by, target)


def early_tiles(kernel: KernelIR, target: Target) -> set[Value]:
    """Return the tiles that a loop may copy to shared memory iterations ahead."""
    loops = [op for op in kernel.walk() if op.name == "for"] if target.has("cp.async") else []
    loads = (each for loop in loops for each in loads_in(loop))
    return {load.results[0] for load, early in loads if isinstance(early, EarlyLoad)}


def why_not_ahead(
    op: Op, root: Value, early: set[Value], threads: int, facts: Divisibility
) -> Reason | None:
    """Return why nothing would be gained by copying a tile as it is."""
    load = root.owner
    if not isinstance(load, Op) or root not in early or load.parent is not op.parent:
        return Reason("not_ahead")
    return copy_problem(load, threads, facts)


def _order(op: Op, plan: ProductPlan, found: Readings, facts: Divisibility) -> ProductPlan:
    """Return the plan in which narrower elements in memory can be read by whole registers."""
    dims = ""
    for slot, along in zip(SLOTS, "mn", strict=True):
        reading = found.get((op, slot))
        if reading is None or not reading.when_read:
            continue
        if memory_bytes(reading.root.type.element) < plan.size:
            value, k_is = op.operands[slot], -1 if slot == "lhs" else 0
            if neighbours_along(value, k_is, facts, reading.root):
                dims += "k"
            elif neighbours_along(value, -1 - k_is, facts, reading.root):
                dims += along
    if "k" in dims and not all(_from_memory(op.operands[slot]) for slot in SLOTS):
        dims = dims.replace("k", "")
    return paired_along(plan, dims) if dims else plan


def _from_memory(value: Value) -> bool:
    """Whether an operand is loaded; what is computed may be in the registers of the atom."""
    owner = root_of(value).owner
    while isinstance(owner, Op) and owner.name in ("ftof", "itof"):
        owner = root_of(owner.operands["from"]).owner
    return isinstance(owner, Op) and family_of(owner) in _LOADS


def _refused(
    plans: Mapping[Op, ProductPlan], found: Readings, facts: Divisibility
) -> Iterable[tuple[tuple[Op, str], Reason]]:
    """Yield operands for which it does not pay after all, and why."""
    for (op, slot), reading in found.items():
        if not reading.when_read:
            continue
        root, plan = reading.root, plans[op]
        size = memory_bytes(root.type.element)
        offsets = staged_bases(root.type.shape, inner_of(root, facts), size)
        value = op.operands[slot]
        kind = Shared(root.type.element, value.type.shape, seen_as(value, offsets, root))
        by_matrices = isinstance(reads_of(plan, slot, kind), MatrixReads)
        if other := _other_use(root, found):
            yield (op, slot), Reason("other_use", other.name)
        elif size < plan.size and not by_matrices:
            yield (op, slot), Reason("scattered")
        elif (cost := _instructions(plan, slot, reading.conversion)) > MOST_INSTRUCTIONS:
            yield (op, slot), Reason("dear_reads", f"{cost:g}")


def _other_use(value: Value, found: Readings) -> Op | None:
    """Return an op that needs a tile, or what it becomes, in another way than by reading it so."""
    for use in value.uses:
        op = use.op
        if family_of(op) is Family.PRODUCT:
            reading = found.get((op, use.slot))
            if reading is None or not reading.when_read:
                return op
        elif family_of(op) is Family.RENUMBERING or op.name in ("ftof", "itof"):
            if other := _other_use(op.result, found):
                return other
        else:
            return op
    return None


def _instructions(plan: ProductPlan, slot: str, conversion: OperandConversion) -> float:
    """Return how many instructions convert an operand, for each that multiplies."""
    elements = 1 << len(plan.part(slot).layout.register)
    atoms = 1 << sum(len(steps) for dim, steps in plan.along.items() if dim != "s")
    return conversion.cost * elements / atoms
