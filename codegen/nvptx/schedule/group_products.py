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
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import combine, log2
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.matrix_descriptor import MatrixDescriptor
from tileir.codegen.nvptx.machine.mma_atoms import GROUP_ATOMS, group_atom_for
from tileir.codegen.nvptx.reasons import Reason
from tileir.gpus import Target
from tileir.ir import Op, Value

from .live_accumulators import accumulator_words
from .mma_plan import (
    ProductPlan,
    by_rows,
    extents_of,
    powers,
    product_plan,
    taken_bits,
)
from .staged import root_of, seen_as
from .view_facts import inner_of

MORE_REGISTERS = 40
"""Registers of a thread besides accumulators. ptxas 13.0 asks for 26 at least."""
_TYPES = frozenset(atom.a for atom in GROUP_ATOMS)
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
    general = _too_large(kernel, plans, threads, registers, room) if plans else None
    found, refused = dict(plans), dict[Op, Reason]()
    for op in plans:
        plan = general or _plan(op, warps, op in rows, target, facts)
        if isinstance(plan, Reason):
            refused[op] = plan
        else:
            found[op] = plan
    return found, refused


def _too_large(
    kernel: KernelIR, plans: Mapping[Op, ProductPlan], threads: int, registers: int, room: int
) -> Reason | None:
    """Return why no product of a kernel can have such a plan."""
    sizes: dict[Op | None, dict[Value, int]] = {None: {}}
    for op, plan in plans.items():
        for slot in _SLOTS:
            root = root_of(op.operands[slot])
            found = sizes.setdefault(_outermost_loop(root), {})
            found[root] = max(found.get(root, 0), plan.size * root.type.size)
    # Loops one behind the other have the same memory in turn.
    outside, *loops = (sum(each.values()) for each in sizes.values())
    if (total := outside + max(loops, default=0)) > room:
        return Reason("group_memory", total)
    words = accumulator_words(kernel) // threads
    return Reason("group_registers", words) if words + MORE_REGISTERS > registers else None


def _outermost_loop(value: Value) -> Op | None:
    """Return the outermost loop in which a value is computed, None outside of loops."""
    block, found = value.owner.parent if isinstance(value.owner, Op) else value.owner, None
    while block.parent_op is not None:
        found = block.parent_op if block.parent_op.name in LOOPS else found
        block = block.parent_op.parent
    return found


def _plan(
    op: Op, warps: int, rows: bool, target: Target, facts: Divisibility
) -> ProductPlan | Reason:
    """Plan a product, or return why there is no plan."""
    element = op.operands["lhs"].type.element
    if op.name != "mmaf" or element.name not in _TYPES:
        return Reason("group_type", element)
    if any(_is_converted(op.operands[slot]) for slot in _SLOTS):
        return Reason("group_converted")
    plan = of_warpgroups(element.name, extents_of(op), warps, rows, target)
    if isinstance(plan, Reason):
        return plan
    for slot in _SLOTS:
        if not _readable(op.operands[slot], plan, slot, facts):
            return Reason("group_rows", slot)
    return plan


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
    operand_type: str, extents: dict[str, int], warps: int, rows_only: bool, target: Target
) -> ProductPlan | Reason:
    """Divide a product among the warpgroups of 2**`warps` warps: along its rows, if `rows_only`.

    Every warpgroup has rows of its own as far as there are enough, then matrices, then columns.
    """
    if warps < _WARPS:
        return Reason("group_warps", 1 << warps)
    groups, rows = warps - _WARPS, len(powers(_ROWS, extents["m"]))
    taken = {"m": min(rows, groups)}
    taken["b"] = min(groups - taken["m"], log2(extents["b"]))
    taken["n"] = groups - taken["m"] - taken["b"]
    columns = min(extents["n"] >> taken["n"], _MOST_COLUMNS)
    atom = group_atom_for(operand_type, columns, target)
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
