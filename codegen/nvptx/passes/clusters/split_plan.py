"""Which tiles of a kernel two blocks of a cluster can have half of, and along which dimension.

It begins with a matrix product: each block has half of the result's rows, or of its columns. From
there it spreads to what the product is made of, and to what is made of it: loads and stores of a
view are the ends. All that is not reached, such as the other operand, both blocks have whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.control_edges import edges
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.nvptx.schedule.token_order import ordered_before, why_fenced
from tileir.codegen.ops import Family, family_of, traits_of, writes_memory
from tileir.ir import Body, Op, Value
from tileir.types import PartitionView

LEAST = 64
"""Rows, or columns, of a product that each block has at least: those of an atom of warpgroups."""


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """The tiles of which each block has half, and the accesses of memory for them."""

    dims: dict[Value, int]
    """Tile -> the dimension along which it is split."""
    accesses: dict[Op, int] = field(default_factory=dict)
    """Load or store of a view -> the same for its tile."""


def split_plan(kernel: KernelIR) -> SplitPlan | Reason:
    """Return how the tiles of a kernel are split, or why they are not."""
    products = [op for op in kernel.walk() if family_of(op) is Family.PRODUCT]
    if not products:
        return Reason("split_products")
    shape = products[0].result.type.shape
    rows, columns = len(shape) - 2, len(shape) - 1
    order = (rows, columns) if shape[rows] >= shape[columns] else (columns, rows)
    if shape[order[0]] < 2 * LEAST:
        return Reason("split_small", LEAST)
    problem: Reason | None = None
    for dim in order:
        if shape[dim] < 2 * LEAST:
            continue
        try:
            found = _Spread(kernel.body).from_product(products[0], dim)
            _check(kernel, found)
        except _CannotSplitError as error:
            problem = problem or error.reason
        else:
            return found
    assert problem is not None
    return problem


class _CannotSplitError(Exception):
    """A kernel's tiles cannot be split along a dimension."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Spread:
    """Spreads a split from one tile to all that have to be split with it."""

    def __init__(self, body: Body) -> None:
        self._dims: dict[Value, int] = {}
        self._whole: set[Value] = set()
        """Tiles that both blocks need all of."""
        self._linked: dict[Value, list[Value]] = {}
        """Value -> those that control flow makes of it, or it of them."""
        for edge in edges(body):
            for value, after in edge.pairs:
                if value is not None:
                    self._linked.setdefault(value, []).append(after)
                    self._linked.setdefault(after, []).append(value)
        self._left: list[Value] = []

    def from_product(self, product: Op, dim: int) -> SplitPlan:
        """Return the plan in which the result of a product is split along a dimension."""
        self._split(product.result, dim)
        accesses: dict[Op, int] = {}
        while self._left:
            value = self._left.pop()
            for other in self._linked.get(value, ()):
                self._split(other, self._dims[value])
            owners = [value.owner] if isinstance(value.owner, Op) else []
            for op in (*owners, *(use.op for use in value.uses)):
                if family_of(op) in _ACCESSES:
                    accesses[op] = self._dims[value]
                elif family_of(op) not in _CONTROL:
                    self._visit(op)
        for value in self._whole & self._dims.keys():
            raise _CannotSplitError(Reason("split_twice", value.type))
        return SplitPlan(self._dims, accesses)

    def _split(self, value: Value, dim: int) -> None:
        if value not in self._dims:
            self._dims[value] = dim
            self._left.append(value)
        elif self._dims[value] != dim:
            raise _CannotSplitError(Reason("split_twice", value.type))

    def _visit(self, op: Op) -> None:
        if family_of(op) is Family.PRODUCT:
            self._product(op)
        elif family_of(op) is Family.ELEMENT_WISE:
            self._together(op)
        elif op.name == "constant" and op.attributes["value"].is_splat:
            pass
        elif op.name in ("broadcast", "permute", "reshape"):
            self._renumbered(op)
        else:
            raise _CannotSplitError(Reason("split_op", op.name))

    def _together(self, op: Op) -> None:
        """Split all tiles of an element-wise op alike."""
        tiles = [each for each in (*op.operand_list(), *op.results) if each.type.shape]
        dims = {self._dims[each] for each in tiles if each in self._dims}
        for each in tiles:
            for dim in dims:
                self._split(each, dim)

    def _product(self, op: Op) -> None:
        """Split what has the same rows, or the same columns, and nothing along k."""
        lhs, rhs, acc = (op.operands[slot] for slot in ("lhs", "rhs", "acc"))
        rows, columns = len(acc.type.shape) - 2, len(acc.type.shape) - 1
        if op.name not in _PRODUCTS:
            raise _CannotSplitError(Reason("split_op", op.name))
        dims = {self._dims[each] for each in (acc, op.result) if each in self._dims}
        dims |= {rows} if self._dims.get(lhs) == rows else set()
        dims |= {columns} if self._dims.get(rhs) == columns else set()
        if dims not in ({rows}, {columns}):
            raise _CannotSplitError(Reason("split_op", op.name))
        (dim,) = dims
        for each in (acc, op.result, lhs if dim == rows else rhs):
            self._split(each, dim)
        self._whole.add(rhs if dim == rows else lhs)

    def _renumbered(self, op: Op) -> None:
        """Split the operand like the result, or the result like the operand."""
        operand, result = next(op.operand_list()), op.result
        for dim, of in enumerate(_dimensions(op)):
            if result in self._dims and of == self._dims[result]:
                self._split(operand, dim)
                return
            if operand in self._dims and dim == self._dims[operand]:
                if of is None:
                    break
                self._split(result, of)
                return
        if operand in self._dims or op.name == "reshape":
            raise _CannotSplitError(Reason("split_op", op.name))
        self._whole.add(operand)


_PRODUCTS = ("mmaf", "mmai")
_ACCESSES = (Family.VIEW_LOAD, Family.VIEW_STORE)
_CONTROL = (Family.LOOP, Family.BRANCH, Family.TERMINATOR)
"""What `edges` tells of."""


def _dimensions(op: Op) -> Sequence[int | None]:
    """Return for each dimension of the operand of an op that of the result, None if there is none.

    A reshape keeps dimensions with the same extent, and as many elements behind them.
    """
    coordinates = traits_of(op).coordinates
    if coordinates is not None:
        return coordinates(op)
    before, after = next(op.operand_list()).type.shape, op.result.type.shape
    places = {
        (extent, prod(after[dim + 1 :])): dim for dim, extent in enumerate(after) if extent > 1
    }
    return [places.get((extent, prod(before[dim + 1 :]))) for dim, extent in enumerate(before)]


def _check(kernel: KernelIR, plan: SplitPlan) -> None:
    """Raise _CannotSplitError where two blocks would do what one does, or would need an order."""
    for op in kernel.walk():
        if op in plan.accesses:
            _check_access(op, plan.accesses[op], kernel)
        elif writes_memory(op) or family_of(op) in _ONCE:
            raise _CannotSplitError(Reason("split_effect", op.name))
        if is_plain_load(op) and (why := why_fenced(op, kernel.body)):
            raise _CannotSplitError(why)
        if op in plan.accesses and writes_memory(op):
            for other in _before(op, kernel.body):
                # Of the same view split alike, a block's halves are its own in every tile.
                alike = plan.accesses.get(other) == plan.accesses[op]
                if not alike or other.operands["view"] is not op.operands["view"]:
                    raise _CannotSplitError(Reason("split_order", other.name))


_ONCE = (Family.FENCE, Family.MESSAGE, Family.VARIABLE)
"""What only one block of a cluster may do."""


def _before(op: Op, body: Body) -> Iterator[Op]:
    """Yield the accesses of memory that tokens order before one."""
    for other in ordered_before(op, body):
        if family_of(other) is not Family.TOKEN:
            yield other


def _check_access(op: Op, dim: int, kernel: KernelIR) -> None:
    """Check that the halves of a view's tiles are the tiles of another one."""
    view = op.operands["view"]
    kind = view.type
    if not isinstance(kind, PartitionView) or not isinstance(view.owner, Op):
        raise _CannotSplitError(Reason("split_view", op.name))
    if not is_weak(op):
        raise _CannotSplitError(Reason("ordered"))
    if op.operands["index"][dim].type.element.name not in ("i32", "i64"):
        raise _CannotSplitError(Reason("split_view", op.name))
