"""Products that warpgroups execute: plans with `wgmma`, for the products that can have them.

Tensor cores read operands from shared memory by descriptors, so there must be room for all of
them, in swizzled rows that a descriptor can name; lhs may be in registers instead. Accumulators are
under way while other work is done, so a thread needs registers for all that live at once: ptxas
serialises products that have too few, or refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import combine, log2
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.matrix_descriptor import MatrixDescriptor
from tileir.codegen.nvptx.machine.mma_atoms import GROUP_ATOMS, group_atom_for, stored_as
from tileir.codegen.nvptx.reasons import Reason
from tileir.gpus import Target
from tileir.ir import Op, Value

from .live_accumulators import accumulator_words
from .mma_plan import (
    ProductPlan,
    by_rows,
    extents_of,
    operand_types,
    powers,
    product_plan,
    signs_of,
    taken_bits,
)
from .staged import root_of, seen_as
from .view_facts import inner_of

MORE_REGISTERS = 40
"""Registers of a thread besides accumulators. ptxas 13.0 asks for 26 at least."""
_TYPES = frozenset(atom.a for atom in GROUP_ATOMS)
_WITH_SHORT_SUMS = ("e4m3", "e5m2")
"""Operand types whose products tensor cores add with few bits: one more than 13."""
_WARPS, _ROWS = log2(4), GROUP_ATOMS[0].m
_MOST_COLUMNS = max(atom.n for atom in GROUP_ATOMS)
_SLOTS = ("lhs", "rhs")


def by_warpgroups(
    kernel: KernelIR,
    plans: Mapping[Op, ProductPlan],
    threads: int,
    registers: int,
    target: Target,
    facts: Divisibility,
    room: int,
) -> tuple[dict[Op, ProductPlan], dict[Op, Reason]]:
    """Return the plans of a kernel's products, by atoms of warpgroups where they can be.

    `registers` are those that a thread may have, `room` the bytes of shared memory for operands.
    The second result says of the other products why not; it is empty if the target has no such
    atoms.
    """
    if not target.has("wgmma"):
        return dict(plans), {}
    warps, rows = (threads // target.warp).bit_length() - 1, by_rows(kernel)
    planned = {op: _plan(op, warps, op in rows, target, facts) for op in plans}
    found = dict(plans)
    found |= {op: plan for op, plan in planned.items() if isinstance(plan, ProductPlan)}
    if found and (general := _too_large(kernel, found, threads, registers, room)):
        return dict(plans), dict.fromkeys(plans, general)
    return found, {op: why for op, why in planned.items() if isinstance(why, Reason)}


def _too_large(
    kernel: KernelIR, plans: Mapping[Op, ProductPlan], threads: int, registers: int, room: int
) -> Reason | None:
    """Return why no product of a kernel can have such a plan."""
    sizes: dict[Value, int] = {}
    for op, plan in plans.items():
        for slot in _SLOTS:
            root = root_of(op.operands[slot])
            sizes[root] = max(sizes.get(root, 0), plan.size * root.type.size)
    if (total := sum(sizes.values())) > room:
        return Reason("group_memory", total)
    added = [op.result.type.size for op, plan in plans.items() if is_promoted(op, plan)]
    words = (accumulator_words(kernel) + max(added, default=0)) // threads
    return Reason("group_registers", words) if words + MORE_REGISTERS > registers else None


def is_promoted(op: Op, plan: ProductPlan) -> bool:
    """Whether a product gets an accumulator of its own, which is added to that of the op then.

    Tensor cores add 8-bit floats with fewer bits than the type of the accumulator has. Only an op
    that says so, by `fast_acc`, leaves a long sum to them.
    """
    short = plan.atom.of_warpgroup and plan.atom.a in _WITH_SHORT_SUMS
    return short and not op.attributes["fast_acc"]


def _plan(
    op: Op, warps: int, rows: bool, target: Target, facts: Divisibility
) -> ProductPlan | Reason:
    """Plan a product, or return why there is no plan."""
    types, element = _types_of(op), op.operands["lhs"].type.element
    if types is None or stored_as(types[0]) != element:
        return Reason("group_type", element)
    if any(_is_converted(op.operands[slot]) for slot in _SLOTS):
        return Reason("group_converted")
    plan = of_warpgroups(types, extents_of(op), warps, rows, target)
    if isinstance(plan, Reason):
        return plan
    for slot in _SLOTS:
        if not _readable(op.operands[slot], plan, slot, facts):
            return Reason("group_rows", slot)
    return plan


def _types_of(op: Op) -> tuple[str, str, str] | None:
    """Return the types of lhs, rhs and accumulator of the atoms for a product; None without."""
    if op.name == "mmai":
        return *signs_of(op), "s32"
    operand_type = operand_types(op.operands["lhs"].type.element)[0]
    if op.name != "mmaf" or operand_type not in _TYPES:
        return None
    exact = operand_type in _WITH_SHORT_SUMS and not op.attributes["fast_acc"]
    half = op.result.type.element.name == "f16" and not exact
    return operand_type, operand_type, "f16" if half else "f32"


def _is_converted(value: Value) -> bool:
    """Whether an operand is converted from a tile that is loaded.

    Atoms of a warp may convert what they read: then copies are asynchronous.
    """
    conversion = root_of(value).owner
    if not isinstance(conversion, Op) or conversion.name not in ("ftof", "itof"):
        return False
    source = root_of(conversion.operands["from"]).owner
    return isinstance(source, Op) and is_plain_load(source)


def of_warpgroups(
    types: tuple[str, str, str],
    extents: dict[str, int],
    warps: int,
    rows_only: bool,
    target: Target,
) -> ProductPlan | Reason:
    """Divide a product among the warpgroups of 2**`warps` warps: along its rows, if `rows_only`.

    `types` are those of lhs, rhs and the accumulator in the atom.

    Every warpgroup has rows of its own as far as there are enough, then matrices, then columns.
    """
    if warps < _WARPS:
        return Reason("group_warps", 1 << warps)
    groups, rows = warps - _WARPS, len(powers(_ROWS, extents["m"]))
    taken = {"m": min(rows, groups)}
    taken["b"] = min(groups - taken["m"], log2(extents["b"]))
    taken["n"] = groups - taken["m"] - taken["b"]
    columns = min(extents["n"] >> taken["n"], _MOST_COLUMNS)
    atom = group_atom_for(*types, columns, target)
    small = atom is None or extents["m"] < atom.m or extents["k"] < atom.k
    if atom is None or small or (rows_only and taken["n"]):
        return Reason("group_share", f"{extents['m']}x{extents['n']}x{extents['k']}")
    chosen = [*atom.warps.lane, *taken_bits(atom, extents, taken)]
    return product_plan(atom, extents, tuple(chosen), "")


def _readable(value: Value, plan: ProductPlan, slot: str, facts: Divisibility) -> bool:
    """Whether tensor cores can read an operand from its staged tile."""
    root = root_of(value)
    rows = swizzled_rows(root.type.shape, inner_of(root, facts), plan.size)
    return rows is not None and descriptor_of(plan, slot, seen_as(value, rows)) is not None


def descriptor_of(plan: ProductPlan, slot: str, offsets: Sequence[int]) -> MatrixDescriptor | None:
    """Return how `wgmma` reads the operand in slot lhs or rhs, None if it cannot.

    `offsets` are those of its elements, as in the type `Shared`.
    """
    part, atom = plan.part(slot), plan.atom
    dim, extent = ("m", atom.m) if slot == "lhs" else ("n", atom.n)

    def places(dim: str, extent: int) -> list[int]:
        steps = [part.at(**{dim: distance}) for distance in powers(1, extent)]
        return [combine(offsets, step) * plan.size for step in steps]

    return MatrixDescriptor.of(places(dim, extent), places("k", atom.k), plan.size)
