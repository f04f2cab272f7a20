"""Products that warpgroups execute: plans with `wgmma`, for the products that can have them.

Tensor cores read operands from shared memory by descriptors, so there must be room for all of
them, in swizzled rows that a descriptor can name; lhs may be in registers instead. Accumulators are
under way while other work is done, so a thread needs registers for all that live at once: ptxas
serialises products that have too few, or refuses them.

Of elements that have other than two bytes, rows go along k. An operand whose neighbours in memory
do not, or which is rounded to tf32, is staged twice: as it is loaded, so that copies go ahead, and
then in such rows (see `layouts.shared_copies`). Copies that round on the way spare the second one
(`passes.tensor_rings`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.memory_ops import is_plain_load
from tileir.codegen.block.control_edges import LOOPS
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import combine, log2
from tileir.codegen.layouts.swizzled_rows import swizzled_rows
from tileir.codegen.nvptx.machine.matrix_descriptor import MatrixDescriptor
from tileir.codegen.nvptx.machine.mma_atoms import GROUP_ATOMS, group_atom_for, stored_as
from tileir.codegen.nvptx.machine.operand_conversions import operand_conversion
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops import Family, family_of
from tileir.codegen.scalar.types import memory_bytes
from tileir.gpus import Target
from tileir.ir import Op, Value

from .live_accumulators import accumulator_words, made_of_products
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
from .read_conversions import early_tiles, why_not_ahead
from .register_estimate import MORE
from .staged import root_of, seen_as
from .view_facts import inner_of

_TYPES = frozenset(atom.a for atom in GROUP_ATOMS)
_WITH_SHORT_SUMS = ("e4m3", "e5m2")
"""Operand types whose products tensor cores add with few bits: one more than 13."""
_WARPS, _ROWS = log2(4), GROUP_ATOMS[0].m
MOST_COLUMNS = max(atom.n for atom in GROUP_ATOMS)
_LEAST_COLUMNS = 128
"""The fewest columns of a product that is added by itself, if it has more. Fewer save no registers:
ptxas has the next product started before the last one has been added."""
SHORT_SUM = 128
"""The most elements along k whose products tensor cores add with few bits."""
_SLOTS = ("lhs", "rhs")


class Restaged(NamedTuple):
    """An operand that is staged twice."""

    root: Value
    """The tile as it is loaded."""
    inner: int
    """The dimension of that along which rows go the second time."""
    conversion: str
    """How elements are converted then; empty if they are not."""


class GroupProducts(NamedTuple):
    """The plans of all products, and what is to know about them."""

    plans: dict[Op, ProductPlan]
    refused: dict[Op, Reason]
    """The products that are not by atoms of warpgroups, and why; none if the target has none."""
    restaged: dict[tuple[Op, str], Restaged]
    """Product and slot -> the operands that are staged twice."""


def by_warpgroups(
    kernel: KernelIR,
    plans: Mapping[Op, ProductPlan],
    threads: int,
    registers: int,
    target: Target,
    facts: Divisibility,
    room: int,
) -> GroupProducts:
    """Return the plans of a kernel's products, by atoms of warpgroups where they can be.

    `registers` are those that a thread may have, `room` the bytes of shared memory for operands.
    """
    if not target.has("wgmma") or not plans:
        return GroupProducts(dict(plans), {}, {})
    warps, rows = (threads // target.warp).bit_length() - 1, by_rows(kernel)
    operands = _Operands(early_tiles(kernel, target), threads, target, facts)
    columns = MOST_COLUMNS
    while True:
        found = _chosen(plans, warps, rows, target, operands, columns)
        general = _too_large(kernel, found, threads, registers, room)
        columns //= 2
        if general is None:
            return found
        again = general.id == "group_registers" and columns >= _LEAST_COLUMNS
        if not again or not any(map(is_promoted, found.plans, found.plans.values())):
            return GroupProducts(dict(plans), dict.fromkeys(plans, general), {})


def _chosen(
    plans: Mapping[Op, ProductPlan],
    warps: int,
    rows: Collection[Op],
    target: Target,
    operands: _Operands,
    columns: int,
) -> GroupProducts:
    """Return plans by atoms of warpgroups, for all products that can have them by themselves.

    Products that are promoted have atoms of so many columns at most.
    """
    found, refused, restaged = dict(plans), dict[Op, Reason](), dict[tuple[Op, str], Restaged]()
    for op in plans:
        plan = _plan(op, warps, op in rows, target, columns)
        ways = operands.ways(op, plan) if isinstance(plan, ProductPlan) else plan
        if isinstance(plan, Reason):
            refused[op] = plan
        elif isinstance(ways, Reason):
            refused[op] = ways
        else:
            found[op] = plan
            restaged |= {(op, slot): way for slot, way in ways.items()}
    return GroupProducts(found, refused, restaged)


def _too_large(
    kernel: KernelIR,
    chosen: GroupProducts,
    threads: int,
    registers: int,
    room: int,
) -> Reason | None:
    """Return why no product of a kernel can have such a plan."""
    sizes: dict[Op | None, dict[Value, int]] = {None: {}}
    made = made_of_products(kernel)
    for op, plan in chosen.plans.items():
        for slot in _SLOTS:
            root = root_of(op.operands[slot])
            if slot == "lhs" and root in made and plan.atom.of_warpgroup:
                continue  # it is in registers, as the product left it
            found = sizes.setdefault(_outermost_loop(root), {})
            found[root] = max(found.get(root, 0), plan.size * root.type.size)
    # Loops one behind the other have the same memory in turn.
    outside, *loops = (sum(each.values()) for each in sizes.values())
    roots = [each.root for each in chosen.restaged.values()]
    again = sum(memory_bytes(root.type.element) * root.type.size for root in roots)
    if (total := outside + max(loops, default=0) + again) > room:
        return Reason("group_memory", total)
    added = [
        op.result.type.size // len(column_parts(op, plan))
        for op, plan in chosen.plans.items()
        if is_promoted(op, plan)
    ]
    words = (accumulator_words(kernel) + max(added, default=0)) // threads
    return Reason("group_registers", words) if words + MORE > registers else None


def _outermost_loop(value: Value) -> Op | None:
    """Return the outermost loop in which a value is computed, None outside of loops."""
    block, found = value.owner.parent if isinstance(value.owner, Op) else value.owner, None
    while block.parent_op is not None:
        found = block.parent_op if block.parent_op.name in LOOPS else found
        block = block.parent_op.parent
    return found


def is_promoted(op: Op, plan: ProductPlan) -> bool:
    """Whether a product gets an accumulator of its own, which is added to that of the op then.

    Tensor cores add 8-bit floats with fewer bits than the type of the accumulator has. Only an op
    that says so, by `fast_acc`, leaves a long sum to them.
    """
    short = plan.atom.of_warpgroup and plan.atom.a in _WITH_SHORT_SUMS
    return short and not op.attributes["fast_acc"]


def column_parts(op: Op, plan: ProductPlan) -> Sequence[int]:
    """Return the first columns of the parts of a promoted product, each of which is added to the
    accumulator before the next one is started; so fewer registers are needed."""
    extents = plan.extents
    whole = any(each is not None and each[0] == "n" for each in plan.warps)
    if whole or extents["b"] > 1 or extents["k"] > SHORT_SUM or not is_promoted(op, plan):
        return (0,)
    return range(0, extents["n"], plan.atom.n)


def _plan(op: Op, warps: int, rows: bool, target: Target, columns: int) -> ProductPlan | Reason:
    """Plan a product, or return why there is no plan. If it is promoted, its atoms have so many
    columns at most."""
    element = op.operands["lhs"].type.element
    if op.name == "mmaf_scaled":
        return Reason("group_scaled", element)
    types = _types_of(op)
    if types is None or stored_as(types[0]) != element:
        return Reason("group_type", element)
    plan = of_warpgroups(types, extents_of(op), warps, rows, target)
    if isinstance(plan, Reason) or columns >= plan.atom.n or not is_promoted(op, plan):
        return plan
    narrow = of_warpgroups(types, extents_of(op), warps, rows, target, columns)
    return plan if isinstance(narrow, Reason) or len(column_parts(op, narrow)) == 1 else narrow


def _types_of(op: Op) -> tuple[str, str, str] | None:
    """Return the types of lhs, rhs and accumulator of the atoms for a product; None without."""
    if op.name == "mmai":
        return *signs_of(op), "s32"
    operand_type = operand_types(op.operands["lhs"].type.element)[0]
    if operand_type not in _TYPES:
        return None
    exact = operand_type in _WITH_SHORT_SUMS and not op.attributes["fast_acc"]
    half = op.result.type.element.name == "f16" and not exact
    return operand_type, operand_type, "f16" if half else "f32"


def of_warpgroups(
    types: tuple[str, str, str],
    extents: dict[str, int],
    warps: int,
    rows_only: bool,
    target: Target,
    most: int = MOST_COLUMNS,
) -> ProductPlan | Reason:
    """Divide a product among the warpgroups of 2**`warps` warps: along its rows, if `rows_only`.

    `types` are those of lhs, rhs and the accumulator in the atom, which has `most` columns at most.

    Every warpgroup has rows of its own as far as there are enough, then matrices, then columns.
    """
    if warps < _WARPS:
        return Reason("group_warps", 1 << warps)
    groups, rows = warps - _WARPS, len(powers(_ROWS, extents["m"]))
    taken = {"m": min(rows, groups)}
    taken["b"] = min(groups - taken["m"], log2(extents["b"]))
    taken["n"] = groups - taken["m"] - taken["b"]
    columns = min(extents["n"] >> taken["n"], most)
    atom = group_atom_for(*types, columns, target)
    small = atom is None or extents["m"] < atom.m or extents["k"] < atom.k
    if atom is None or small or (rows_only and taken["n"]):
        return Reason("group_share", f"{extents['m']}x{extents['n']}x{extents['k']}")
    chosen = [*atom.warps.lane, *taken_bits(atom, extents, taken)]
    return product_plan(atom, extents, tuple(chosen), "")


class _Operands:
    """How operands get into rows that tensor cores read."""

    def __init__(
        self, early: set[Value], threads: int, target: Target, facts: Divisibility
    ) -> None:
        self._early, self._threads, self._target, self._facts = early, threads, target, facts

    def ways(self, op: Op, plan: ProductPlan) -> dict[str, Restaged] | Reason:
        """Return the operands of a product that are staged twice, or why it cannot read one."""
        found = {}
        for slot in _SLOTS:
            way = self._way(op, slot, plan)
            if isinstance(way, Reason):
                return way
            if way is not None:
                found[slot] = way
        return found

    def _way(self, op: Op, slot: str, plan: ProductPlan) -> Restaged | Reason | None:
        """Return how an operand is staged twice, why it cannot be, or None if once is enough."""
        value = op.operands[slot]
        root, conversion = self._loaded(value, plan.atom.operand(slot))
        if root is None:
            return Reason("group_converted")
        natural = inner_of(root, self._facts)
        if not conversion and _readable(value, root, natural, plan, slot):
            return None
        dims = (natural, *(dim for dim in range(len(root.type.shape)) if dim != natural))
        inner = next((dim for dim in dims if _readable(value, root, dim, plan, slot)), None)
        if inner is None or swizzled_rows(root.type.shape, natural, plan.size) is None:
            return Reason("group_rows", slot)
        if why_not_ahead(op, root, self._early, self._threads, self._facts) is not None:
            return Reason("group_ahead", slot)
        if _is_used_otherwise(root, op):
            return Reason("group_ahead", slot)
        return Restaged(root, inner, conversion)

    def _loaded(self, value: Value, operand_type: str) -> tuple[Value | None, str]:
        """Return the tile that is staged for an operand, and how it is converted behind that.

        The tile is None if atoms of a warp are better: these may convert what they read, so that
        copies of what is loaded go ahead.
        """
        root = root_of(value)
        conversion = root.owner
        if not isinstance(conversion, Op) or conversion.name not in ("ftof", "itof"):
            return root, ""
        source = root_of(conversion.operands["from"])
        if not isinstance(source.owner, Op) or not is_plain_load(source.owner):
            return root, ""
        by, stored = conversion.attributes.get("rounding_mode") or "", source.type.element
        same_size = memory_bytes(stored) == memory_bytes(root.type.element)
        row = operand_conversion(stored.name, operand_type, by, self._target)
        return (source, by) if row is not None and same_size else (None, "")


def _readable(value: Value, root: Value, inner: int, plan: ProductPlan, slot: str) -> bool:
    """Whether tensor cores can read an operand from its root in rows along the dimension inner."""
    rows = swizzled_rows(root.type.shape, inner, plan.size)
    return rows is not None and descriptor_of(plan, slot, seen_as(value, rows, root)) is not None


def _is_used_otherwise(value: Value, product: Op) -> bool:
    """Whether anything but a product needs a tile, or what it becomes on the way there."""
    for op in (use.op for use in value.uses):
        on_the_way = family_of(op) is Family.RENUMBERING or op.name == "ftof"
        if op is not product and not (on_the_way and not _is_used_otherwise(op.result, product)):
            return True
    return False


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
