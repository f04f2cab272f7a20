"""The classes of the tile-level SSA form: bodies, regions, blocks, ops and values.

Operands are the values that they name, values have types, and attributes are plain Python values.
Every consumer (inspect, text, verifier, both code generators) works on this form.

It can be edited. `operands`, `regions`, `blocks` and `ops` may be changed as any dict or list; the
methods that edit (`insert_before`, `move_after`, `erase`, `replace_with`, ...) raise BuildError for
what cannot be right, and change nothing then. Either way, parents and uses stay true. The rules of
Tile IR are checked by `tileir.verify` and `Bytecode.build`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from tileir.formats.errors import BuildError
from tileir.types import FunctionType, Tile, Type

from .children import Children, NoChildren, Node, has_parent

if TYPE_CHECKING:
    from tileir.formats.ops.spec import Op as Spec

    from .locations import Location

NO_NUMBER = -1
"""The number of a value that no file has."""

P = TypeVar("P", bound="Part")

SPACING = 1 << 32
"""Distance of the order keys of neighbouring ops when a block is numbered, for later insertions."""


class Value:
    """A value that an op or a block defines. Values are compared by identity.

    `owner` is the op or block; `index` is the position among its results or arguments. `number` is
    the value number in the file, which sibling regions reuse; -1 for a value that was not read.
    `users` are the ops that have it as an operand, once `uses` was asked for in its body.

    Most values are tiles, so a checker takes `type` for one; views and tokens are narrowed to with
    isinstance.
    """

    __slots__ = ("index", "number", "owner", "type", "users")

    def __init__(self, type: Type, owner: Op | Block, index: int, number: int = NO_NUMBER) -> None:
        self.type: Tile | Any = type
        self.owner = owner
        self.index = index
        self.number = number
        self.users: dict[Op, None] | None = None

    @property
    def uses(self) -> tuple[Use, ...]:
        """Every use of the value as an operand.

        The first question in a body walks through all of it; from then on, edits keep them.
        """
        if isinstance(self.owner, Node) and not self.owner.tracked:
            _track(_root(self.owner))
        return tuple(use for op in self.users or () for use in op.uses_of(self))

    def is_visible_to(self, op: Op) -> bool:
        """Whether an op may use the value: it is defined before the op, or around it."""
        block = self.owner if isinstance(self.owner, Block) else self.owner.parent
        if block is None:
            return False
        around = _child_around(block, op)
        if around is None or isinstance(self.owner, Block):
            return around is not None
        return self.owner is not around and self.owner.is_before(around)

    def replace_all_uses_with(
        self, other: Value, where: Callable[[Use], bool] | None = None
    ) -> None:
        """Make every use of this value, or every one for which `where` is true, a use of `other`.

        BuildError if the types differ, or a use cannot see `other`; nothing is changed then.
        """
        chosen = [use for use in self.uses if where is None or where(use)]
        self._check_replacement(other, chosen)
        for use in chosen:
            use.set(other)

    def _check_replacement(self, other: object, chosen: Iterable[Use]) -> None:
        if not isinstance(other, Value):
            raise BuildError(f"expected a value, found {other!r}")
        if other.type != self.type:
            raise BuildError(f"{other} cannot replace {self}: the types differ")
        for use in chosen:
            if other is not self and not other.is_visible_to(use.op):
                raise BuildError(f"{use.op.name}: {use.slot}: {other} is not visible here")

    def __repr__(self) -> str:
        return f"{_spelled(self)}: {self.type}"


class Use(NamedTuple):
    """An operand of an op: the slot, and the index in a slot of any length, else None."""

    op: Op
    slot: str
    index: int | None

    @property
    def value(self) -> Value:
        """The value that is used."""
        operand = self.op.operands[self.slot]
        return operand[self.index] if isinstance(operand, tuple) else operand

    def set(self, value: Value) -> None:
        """Use another value."""
        if self.index is None:
            self.op.operands[self.slot] = value
        else:
            old = self.op.operands[self.slot]
            self.op.operands[self.slot] = (*old[: self.index], value, *old[self.index + 1 :])


Operand = Value | tuple[Value, ...] | None
"""What an operand slot holds: a value, None where it is absent, or any number of values."""


class Operands(dict[str, Operand]):
    """The operands of a tracked op, which is entered among the users of its values."""

    __slots__ = ("op",)

    def __init__(self, op: Op, operands: dict[str, Operand]) -> None:
        super().__init__(operands)
        self.op = op

    def __setitem__(self, slot: str, operand: Operand) -> None:
        before = self.get(slot)
        super().__setitem__(slot, operand)
        self._changed(before)

    def __delitem__(self, slot: str) -> None:
        self.pop(slot)

    def _changed(self, before: object) -> None:
        present = set(self.op.operand_list())
        for value in _values_of(before):
            if value not in present and value.users:
                value.users.pop(self.op, None)
        self.op._register()

    def pop(self, slot: str, *default):
        """Take out a slot; an op without one of its slots is malformed."""
        before = self.get(slot)
        found = super().pop(slot, *default)
        self._changed(before)
        return found

    def popitem(self) -> tuple[str, Operand]:
        """Take out the last slot."""
        slot = next(reversed(self))
        return slot, self.pop(slot)

    def clear(self) -> None:
        """Take out all slots."""
        for slot in list(self):
            self.pop(slot)

    def update(self, *others, **named) -> None:
        """Set several slots."""
        for slot, operand in dict(*others, **named).items():
            self[slot] = operand

    def setdefault(self, slot: str, default: Operand = None) -> Operand:
        """Return the operand of a slot, and set it if there is none."""
        if slot not in self:
            self[slot] = default
        return self[slot]

    def __ior__(self, other):
        self.update(other)
        return self


class Part(Node):
    """A node whose children are in a list, and whose uses may be tracked."""

    __slots__ = ()

    @property
    def inside(self) -> Children:
        """The nodes directly inside: ops of a block, blocks of a region, regions of an op."""
        raise NotImplementedError

    def children(self) -> Iterator[Part]:
        """Yield the nodes directly inside; objects that are none are left out."""
        inside = self.inside
        return (child for child in inside if isinstance(child, Part)) if inside else iter(())

    def adopted(self, child: Node) -> None:
        """Note that a child was put into the list."""
        if self.tracked:
            _track(child)

    def released(self, child: Node) -> None:
        """Note that a child was taken out of the list."""
        if self.tracked:
            _forget(child)

    def shell(self, values: dict[Value, Value]) -> Self:
        """Return a copy without children and operands; new values are entered into `values`."""
        raise NotImplementedError

    def clone(self, values: dict[Value, Value] | None = None) -> Self:
        """Return a copy of all of it, which has no parent.

        It uses the values that it did not define itself as this one does, or those that `values`
        has in their place. Each value that it defines is entered into `values` with its copy.
        """
        return _cloned(self, {} if values is None else values)

    def __deepcopy__(self, memo: dict) -> Self:
        return self.clone()

    def __reduce__(self):
        raise TypeError("parts of a body cannot be pickled by themselves; pickle the Bytecode")


class Block(Part):
    """A block: its arguments and ops. The last op is a terminator.

    The parent is a region, or the body whose outermost block it is.
    """

    __slots__ = ("_numbered", "_ops", "arguments")

    def __init__(
        self, arguments: list[Value] | None = None, ops: Iterable[Op] | None = None
    ) -> None:
        super().__init__()
        self.arguments = [] if arguments is None else arguments
        self._numbered = False
        self._ops: Children[Op] = Children(self, () if ops is None else ops)

    @property
    def ops(self) -> Children[Op]:
        """The ops, in order."""
        return self._ops

    @ops.setter
    def ops(self, ops: list[Op]) -> None:
        self._numbered = False
        self._ops = _replaced(self._ops, ops, self)

    @property
    def inside(self) -> Children[Op]:
        """The ops."""
        return self._ops

    @property
    def parent_op(self) -> Op | None:
        """The op whose region has the block, None for the outermost one."""
        return self.parent.parent if isinstance(self.parent, Region) else None

    def append(self, op: Op) -> None:
        """Insert an op at the end. BuildError behind a terminator, or if an operand is unknown."""
        _check_detached(op)
        if op.contains(self):
            raise BuildError(f"{op.name} cannot be put into itself")
        last = self._ops[-1] if self._ops else None
        if last is not None and last.spec.terminator:
            raise BuildError(f"{op.name} comes after {last.name}, which ends the block")
        self._ops.append(op)
        try:
            _check_operands(op, lambda value: value.is_visible_to(op))
        except BuildError:
            self._ops.pop()
            raise

    def add_argument(self, type: Type) -> Value:
        """Add an argument, and return it."""
        self.arguments.append(Value(type, self, len(self.arguments)))
        return self.arguments[-1]

    def remove_argument(self, index: int) -> None:
        """Remove an argument. BuildError if it has uses."""
        _remove(self.arguments, index)

    def adopted(self, child: Node) -> None:
        """Note a new op."""
        if self._numbered and len(self._ops) > 1 and self._ops[-1] is child:
            child._order = self._ops[-2]._order + SPACING
        else:
            self._numbered = False
        super().adopted(child)

    def number(self) -> None:
        """Give the ops keys in their order, if they have none."""
        if not self._numbered:
            for number, op in enumerate(self.children()):
                op._order = number * SPACING
            self._numbered = len(self._ops) > 0 and all(isinstance(op, Op) for op in self._ops)

    def insert(self, index: int, op: Op) -> None:
        """Insert an op before the one with that index; neighbours keep their keys."""
        numbered = self._numbered
        self._ops.insert(index, op)
        if numbered and 0 < index < len(self._ops) - 1:
            low, high = self._ops[index - 1]._order, self._ops[index + 1]._order
            if high - low > 1:
                op._order = (low + high) // 2
                self._numbered = True

    def shell(self, values: dict[Value, Value]) -> Block:
        """Return a block with the same arguments."""
        made = Block()
        made.arguments = _copied(self.arguments, made, values)
        return made


class Region(Part):
    """A region: the blocks nested in an op. There is one, or none for an absent else."""

    __slots__ = ("_blocks",)

    def __init__(self, blocks: Iterable[Block] | None = None) -> None:
        super().__init__()
        self._blocks: Children[Block] = Children(self, () if blocks is None else blocks)

    @property
    def blocks(self) -> Children[Block]:
        """The blocks, in order."""
        return self._blocks

    @blocks.setter
    def blocks(self, blocks: list[Block]) -> None:
        self._blocks = _replaced(self._blocks, blocks, self)

    @property
    def inside(self) -> Children[Block]:
        """The blocks."""
        return self._blocks

    @property
    def block(self) -> Block:
        """The only block."""
        return self._blocks[0]

    def shell(self, values: dict[Value, Value]) -> Region:
        """Return an empty region."""
        return Region()


class Op(Part):
    """One operation.

    `operands` maps every operand slot of the op's row to a Value, None (absent) or a tuple of
    Values (slots of any length). `attributes` maps every attribute slot to its value: enums are
    their names ("nearest_even"), unit attributes bool, absent ones None. See `tileir.attributes`
    for the others. `offset` is the op's offset in the file, in bytes; `position` is its number in
    the function that was read, in pre-order. The parent is a block.

    What is in a slot its row says, which checkers do not see: for them it is anything.
    """

    __slots__ = (
        "_location",
        "_operands",
        "_order",
        "_regions",
        "attributes",
        "offset",
        "position",
        "results",
        "spec",
    )

    def __init__(
        self,
        spec: Spec,
        operands: dict[str, Any],
        attributes: dict[str, Any],
        results: list[Value] | None = None,
        regions: list[Region] | None = None,
        offset: int = 0,
        position: int = 0,
        location: Location | Callable[[int], Location | None] | None = None,
    ) -> None:
        self.parent = None
        self.tracked = False
        self.spec = spec
        self._operands = operands
        self.attributes = attributes
        self.results = [] if results is None else results
        self._regions: Children[Region] | None = regions and Children(self, regions)
        self.offset = offset
        self.position = position
        self._location = location

    # Parts --------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The mnemonic, for example ``addf``."""
        return self.spec.mnemonic

    @property
    def operands(self) -> dict[str, Any]:
        """Operand slot -> value."""
        return self._operands

    @operands.setter
    def operands(self, operands: dict[str, Any]) -> None:
        if self.tracked:
            _release(self, ())
        self._operands = operands
        if self.tracked:
            _register(self)

    @property
    def regions(self) -> Children[Region]:
        """The regions, as many as the op's row has."""
        if self._regions is None:
            self._regions = Children(self) if self.spec.regions else _NO_REGIONS
        return self._regions

    @regions.setter
    def regions(self, regions: list[Region]) -> None:
        old = Children(self) if self._regions is _NO_REGIONS else self.regions
        self._regions = _replaced(old, regions, self)

    @property
    def inside(self) -> Children[Region]:
        """The regions."""
        return self._regions or _NO_REGIONS

    @property
    def result(self) -> Value:
        """The first result."""
        return self.results[0]

    @property
    def location(self) -> Location | None:
        """The location of the op in source; the debug section is read when first asked for."""
        if callable(self._location):
            self._location = self._location(self.position)
        return self._location

    @location.setter
    def location(self, location: Location | None) -> None:
        self._location = location

    @property
    def unread_location(self) -> Callable[[int], Location | None] | None:
        """What gives the location by the op's position; None if it has been read or set."""
        return self._location if callable(self._location) else None

    @property
    def location_text(self) -> str:
        """The source location as text, empty if it is unknown."""
        return "" if self.location is None else str(self.location)

    def operand_list(self) -> Iterator[Value]:
        """Yield all operands that are present, in the order of the file."""
        for value in self._operands.values():
            if isinstance(value, tuple):
                yield from value
            elif value is not None:
                yield value

    def uses_of(self, value: Value) -> Iterator[Use]:
        """Yield the operands of this op that are that value."""
        for slot, operand in self._operands.items():
            if operand is value:
                yield Use(self, slot, None)
            elif isinstance(operand, tuple):
                yield from (Use(self, slot, i) for i, each in enumerate(operand) if each is value)

    def walk(self) -> Iterator[Op]:
        """Yield this op and the ops nested in it, in pre-order."""
        stack: list[Part] = [self]
        while stack:
            op = stack.pop()
            yield op
            if op._regions:
                nested = [o for region in op._regions for block in region.blocks for o in block.ops]
                stack.extend(reversed(nested))

    # Place --------------------------------------------------------------------------------------

    @property
    def parent_op(self) -> Op | None:
        """The op whose region has this op, None at the top level of a body."""
        return self.parent.parent_op if self.parent is not None else None

    @property
    def depth(self) -> int:
        """How many ops are around it."""
        depth, around = 0, self.parent_op
        while around is not None:
            depth, around = depth + 1, around.parent_op
        return depth

    @property
    def index(self) -> int:
        """The position in the block. BuildError if it is in none."""
        block = _block_of(self)
        block.number()
        if block._numbered:
            return bisect_left(block.ops, self._order, key=_order_of)
        return block.ops.index(self)

    def is_before(self, other: Op) -> bool:
        """Whether it comes before another op of its block. BuildError if they share none."""
        block = _block_of(self)
        if other.parent is not block:
            raise BuildError(f"{self.name} and {other.name} are not in one block")
        block.number()
        return self._order < other._order

    # Edits --------------------------------------------------------------------------------------

    def insert_before(self, anchor: Op) -> None:
        """Put this op, which is not part of a body, before another one.

        BuildError if an operand is not visible there, or if this op ends a block.
        """
        _check_detached(self)
        self._check_place(anchor)
        _check_operands(self, lambda value: value.is_visible_to(anchor))
        anchor.parent.insert(anchor.index, self)

    def insert_after(self, anchor: Op) -> None:
        """Put this op, which is not part of a body, after another one, which ends no block.

        BuildError if an operand is not visible there, or if this op ends a block.
        """
        _check_detached(self)
        self._check_place(anchor, behind=True)
        _check_operands(self, lambda value: _visible_behind(value, anchor))
        anchor.parent.insert(anchor.index + 1, self)

    def move_before(self, anchor: Op) -> None:
        """Move before another op. BuildError if an operand or a use would not be visible."""
        self._check_place(anchor)
        block = _block_of(self)
        if anchor is not self:
            _check_operands(self, lambda value: value.is_visible_to(anchor))
            self._check_uses(anchor, lambda around: around is anchor or anchor.is_before(around))
            block.ops.pop(self.index)
            anchor.parent.insert(anchor.index, self)

    def move_after(self, anchor: Op) -> None:
        """Move after another op. BuildError if an operand or a use would not be visible."""
        self._check_place(anchor, behind=True)
        block = _block_of(self)
        if anchor is not self:
            _check_operands(self, lambda value: _visible_behind(value, anchor))
            self._check_uses(anchor, anchor.is_before)
            block.ops.pop(self.index)
            anchor.parent.insert(anchor.index + 1, self)

    def remove(self) -> None:
        """Take this op out of its block, to be inserted elsewhere; uses of its results stay."""
        _block_of(self).ops.pop(self.index)

    def erase(self) -> None:
        """Take this op out for good. BuildError if something else uses a value that it defines."""
        for value in _defined(self):
            for use in value.uses:
                if not self.contains(use.op):
                    raise BuildError(f"{self.name}: {use.op.name} uses {value}")
        self.remove()

    def replace_with(self, *values: Value | None) -> None:
        """Make every use of the results a use of these values, one for each result, and erase it.

        A value may be None where the result has no uses. BuildError if the types differ, or if a
        use does not see the value; nothing is changed then.
        """
        if len(values) != len(self.results):
            raise BuildError(f"{self.name} has {len(self.results)} results, found {len(values)}")
        for result, value in zip(self.results, values, strict=True):
            if value is None and not result.uses:
                continue
            result._check_replacement(value, result.uses)
            if self.contains(value.owner):
                raise BuildError(f"{self.name}: {value} goes with the op")
        inside = [v for v in _defined(self) if v not in self.results]
        for value in inside:
            for use in value.uses:
                if not self.contains(use.op):
                    raise BuildError(f"{self.name}: {use.op.name} uses {value}")
        for result, value in zip(self.results, values, strict=True):
            if value is not None:
                result.replace_all_uses_with(value)
        self.remove()

    def add_result(self, type: Type) -> Value:
        """Add a result, and return it."""
        self.results.append(Value(type, self, len(self.results)))
        return self.results[-1]

    def remove_result(self, index: int) -> None:
        """Remove a result. BuildError if it has uses."""
        _remove(self.results, index)

    def _check_place(self, anchor: Op, behind: bool = False) -> None:
        if not isinstance(anchor, Op):
            raise BuildError(f"expected an op, found {anchor!r}")
        if self.spec.terminator:
            raise BuildError(f"{self.name} ends its block and stays there; append it to another")
        _block_of(anchor)
        if behind and anchor.spec.terminator:
            raise BuildError(f"{self.name} cannot come after {anchor.name}, which ends the block")
        if self is not anchor and self.contains(anchor):
            raise BuildError(f"{self.name} cannot be put into itself")

    def _check_uses(self, anchor: Op, sees: Callable[[Op], bool]) -> None:
        """Raise BuildError for a use of a result that a place beside `anchor` does not precede."""
        for result in self.results:
            for use in result.uses:
                around = _child_around(anchor.parent, use.op)
                if around is None or not sees(around):
                    raise BuildError(f"{use.op.name}: {use.slot}: {result} is not visible here")

    def shell(self, values: dict[Value, Value]) -> Op:
        """Return an op with new results and copied attributes."""
        made = Op(
            self.spec,
            {},
            dict(self.attributes),
            offset=self.offset,
            position=self.position,
            location=self._location,
        )
        made.results = _copied(self.results, made, values)
        return made

    def __repr__(self) -> str:
        results = ", ".join(_spelled(value) for value in self.results)
        operands = ", ".join(_spelled(value) for value in self.operand_list())
        return f"{results}{' = ' if results else ''}{self.name} {operands}".rstrip()


class Body(Part):
    """A function body: the parameters are the arguments of `block`."""

    __slots__ = ("_block", "type")

    def __init__(self, type: FunctionType, block: Block) -> None:
        super().__init__()
        self.type = type
        self._block = Children(self, [block])

    @property
    def block(self) -> Block:
        """The outermost block."""
        return self._block[0]

    @property
    def inside(self) -> Children[Block]:
        """The outermost block, in a list."""
        return self._block

    def walk(self) -> Iterator[Op]:
        """Yield every op in pre-order."""
        for op in self.block.ops:
            yield from op.walk()

    def shell(self, values: dict[Value, Value]) -> Body:
        """Return a body without a block."""
        made = Body.__new__(Body)
        Part.__init__(made)
        made.type, made._block = self.type, Children(made)
        return made


_NO_REGIONS: Children[Region] = NoChildren(Part())


# Uses -------------------------------------------------------------------------------------------


def _values_of(operand: object) -> Iterator[Value]:
    """Yield the values in an operand slot; objects that are none are left out."""
    for value in operand if isinstance(operand, tuple) else (operand,):
        if isinstance(value, Value):
            yield value


def _used(op: Op) -> Iterator[Value]:
    if isinstance(op._operands, dict):
        for operand in op._operands.values():
            yield from _values_of(operand)


def _register(op: Op) -> None:
    """Enter an op among the users of its operands; its changes will be noticed."""
    if isinstance(op._operands, dict) and not isinstance(op._operands, Operands):
        op._operands = Operands(op, op._operands)
    for value in _used(op):
        if value.users is None:
            value.users = {}
        value.users[op] = None


def _release(op: Op, inside: Container[Value]) -> None:
    """Take an op out of the users of its operands, except for values `inside`."""
    for value in _used(op):
        if value.users and value not in inside:
            value.users.pop(op, None)


def _nodes(root: Part) -> Iterator[Part]:
    """Yield a node and all nodes in it."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += node.children()


def _defined(root: Part) -> Iterator[Value]:
    """Yield the values that a node and the nodes in it define."""
    for node in _nodes(root):
        given = node.results if isinstance(node, Op) else ()
        given = node.arguments if isinstance(node, Block) else given
        yield from (value for value in given if isinstance(value, Value))


def _track(root: Part) -> None:
    """Keep the uses in a node true from now on."""
    for node in _nodes(root):
        node.tracked = True
        if isinstance(node, Op):
            _register(node)


def _forget(root: Part) -> None:
    """Drop the uses of values around a node that was taken out."""
    inside = set(_defined(root))
    for node in _nodes(root):
        if isinstance(node, Op):
            _release(node, inside)


def _root(node: Node) -> Part:
    while node.parent is not None:
        node = node.parent
    return node


# Places -----------------------------------------------------------------------------------------


def _order_of(op: Op) -> int:
    return op._order


def _block_of(op: Op) -> Block:
    if not isinstance(op.parent, Block):
        raise BuildError(f"{op.name} is not part of a body")
    return op.parent


def _child_around(block: Block, op: Op) -> Op | None:
    """Return the op of a block that is, or contains, an op; None if the block does not."""
    around: Op | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op
    return around


def _visible_behind(value: Value, anchor: Op) -> bool:
    return value.owner is anchor or value.is_visible_to(anchor)


def _check_detached(op: object) -> None:
    if not isinstance(op, Op):
        raise BuildError(f"expected an op, found {op!r}")
    if op.parent is not None:
        raise BuildError(has_parent(op))


def _check_operands(op: Op, visible: Callable[[Value], bool]) -> None:
    """Raise BuildError for an operand of an op, or inside it, that is not visible to it."""
    inside = set(_defined(op)) if op.inside else ()
    for each in op.walk():
        for slot, operand in each.operands.items():
            for value in _values_of(operand):
                if value not in inside and not visible(value):
                    raise BuildError(f"{each.name}: {slot}: {value} is not visible here")


def _replaced(old: Children, new: object, owner: Part) -> Children:
    """Return the children of a node after an assignment to the whole list."""
    if new is old:
        return old
    if isinstance(old, Children):
        old.release()
    try:  # what is no list is reported by `verify` and `build`
        return Children(owner, new) if isinstance(new, list) else new
    except BuildError:
        old.adopt()
        raise


def _remove(values: list[Value], index: int) -> None:
    """Remove a value without uses from the results of an op or the arguments of a block."""
    try:
        value = values[index]
    except (IndexError, TypeError):
        raise BuildError(f"there is no number {index!r} of {len(values)}") from None
    if value.uses:
        raise BuildError(f"{value.uses[0].op.name} uses {value}")
    values.remove(value)
    for position, each in enumerate(values):
        each.index = position


# Copies -----------------------------------------------------------------------------------------


def _cloned(root: P, values: dict[Value, Value]) -> P:
    made = root.shell(values)
    stack: list[tuple[Part, Part]] = [(root, made)]
    ops: list[tuple[Op, Op]] = []
    while stack:
        node, copy = stack.pop()
        if isinstance(node, Op):
            ops.append((node, copy))
        inner = [(child, child.shell(values)) for child in node.children()]
        if inner:
            (copy.regions if isinstance(copy, Op) else copy.inside).extend(c for _, c in inner)
            stack += inner
    for op, copy in ops:
        copy._operands = {slot: _mapped(each, values) for slot, each in op.operands.items()}
    return made


def _mapped(operand: Operand, values: dict[Value, Value]) -> Operand:
    if isinstance(operand, tuple):
        return tuple([values.get(value, value) for value in operand])
    return values.get(operand, operand)


def _copied(old: Sequence[Value], owner: Op | Block, values: dict[Value, Value]) -> list[Value]:
    made = [Value(v.type, owner, index, v.number) for index, v in enumerate(old)]
    values.update(zip(old, made, strict=True))
    return made


def _spelled(value: Value) -> str:
    return f"%{'?' if value.number == NO_NUMBER else value.number}"
