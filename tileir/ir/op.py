"""The classes of the tile-level SSA form: bodies, regions, blocks, ops and values.

Operands are the values that they name, values have types, and attributes are plain Python values.
Every consumer (inspect, text, verifier, both code generators) works on this form.

It can be edited. `operands`, `regions`, `blocks` and `ops` may be changed as any dict or list; the
methods that edit (`insert_before`, `move_after`, `erase`, `replace_with`, ...) raise BuildError for
what cannot be right, and change nothing then. Either way, parents and uses stay true. The rules of
Tile IR are checked by `tileir.verify` and `Bytecode.build`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.formats.errors import BuildError
from tileir.messages.folded import folded_op
from tileir.types import Type, ValueType

from .attribute_copies import copied_attribute
from .children import Children, NoChildren, replaced
from .operands import Operands
from .part import Part
from .placed import OpList, Placed, check_detached, check_operands, child_around, remove_value, walk

if TYPE_CHECKING:
    from tileir.formats.ops.spec import Op as Spec

    from .locations import Location

NO_NUMBER = -1
"""The number of a value that no file has."""


class Value:
    """A value that an op or a block defines. Values are compared by identity.

    `owner` is the op or block; `index` is the position among its results or arguments. `number` is
    the value number in the file, which sibling regions reuse; -1 for a value that was not read.
    `users` are the ops that have it as an operand, once `uses` was asked for in its body.
    """

    __slots__ = ("index", "number", "owner", "type", "users")

    def __init__(
        self, type: ValueType, owner: Op | Block, index: int, number: int = NO_NUMBER
    ) -> None:
        self.type = type
        self.owner: Op | Any = owner
        self.index = index
        self.number = number
        self.users: dict[Op, None] | None = None

    @property
    def uses(self) -> tuple[Use, ...]:
        """Every use of the value as an operand.

        The first question in a body walks through all of it; from then on, edits keep them.
        """
        if isinstance(self.owner, Part) and not self.owner.tracked:
            self.owner.root.track()
        return tuple(use for op in self.users or () for use in op.uses_of(self))

    def is_visible_to(self, op: Op) -> bool:
        """Whether an op may use the value: it is defined before the op, or around it."""
        if not isinstance(op, Op):
            raise BuildError(f"expected an op, found {op!r}")
        block = self.owner if isinstance(self.owner, Block) else self.owner.parent
        if block is None:
            return False
        around = child_around(block, op)
        if around is None or isinstance(self.owner, Block):
            return around is not None
        return self.owner is not around and self.owner.is_before(around)

    def is_visible_at_end_of(self, block: Block) -> bool:
        """Whether an op at the end of a block may use the value."""
        if isinstance(self.owner, Block):
            return self.owner.contains(block)
        if self.owner.parent is block:
            return True
        around = block.parent_op
        return around is not None and self.is_visible_to(around)

    def replace_all_uses_with(
        self, other: Value, where: Callable[[Use], bool] | None = None
    ) -> None:
        """Make every use of this value, or every one for which `where` is true, a use of `other`.

        BuildError if the types differ, or a use cannot see `other`; nothing is changed then.
        """
        chosen = [use for use in self.uses if where is None or where(use)]
        self.check_replacement(other, chosen)
        slots: dict[tuple[Op, str], set[int | None]] = {}
        for use in chosen:
            slots.setdefault((use.op, use.slot), set()).add(use.index)
        for (op, slot), indices in slots.items():
            old = op.operands[slot]
            if isinstance(old, tuple):
                old = enumerate(old)
                op.operands[slot] = tuple([other if i in indices else each for i, each in old])
            else:
                op.operands[slot] = other

    def check_replacement(self, other: object, chosen: Iterable[Use]) -> None:
        """Raise BuildError if `other` cannot take the place of this value in some uses."""
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
        if self.index is not None and isinstance(operand, tuple):
            return operand[self.index]
        return operand

    def set(self, value: Value) -> None:
        """Use another value."""
        if self.index is None:
            self.op.operands[self.slot] = value
        else:
            old = self.op.operands[self.slot]
            self.op.operands[self.slot] = (*old[: self.index], value, *old[self.index + 1 :])


class Block(OpList):
    """A block: its arguments and ops. The last op is a terminator.

    The parent is a region, or the body whose outermost block it is.
    """

    __slots__ = ("_ops", "arguments")

    parent: Region | Any

    def __init__(
        self, arguments: list[Value] | None = None, ops: Iterable[Op] | None = None
    ) -> None:
        super().__init__()
        self.arguments = [] if arguments is None else arguments
        self._ops: Children[Op] = Children(self, () if ops is None else ops)

    @property
    def ops(self) -> Children[Op]:
        """The ops, in order."""
        return self._ops

    @ops.setter
    def ops(self, ops: list[Op]) -> None:
        self.numbered = False
        self._ops = replaced(self._ops, ops, self)

    @property
    def inside(self) -> Children[Op]:
        """The ops."""
        return self._ops

    def own_values(self) -> Iterable[Value]:
        """Return the arguments."""
        return [value for value in self.arguments if isinstance(value, Value)]

    @property
    def parent_op(self) -> Op | Any:
        """The op whose region has the block, None for the outermost one."""
        return self.parent.parent if isinstance(self.parent, Region) else None

    def append(self, op: Op) -> None:
        """Insert an op at the end. BuildError behind a terminator, or if an operand is unknown."""
        check_detached(op)
        if op.contains(self):
            raise BuildError(f"{op.name} cannot be put into itself")
        last = self._ops[-1] if self._ops else None
        if last is not None and last.spec.terminator:
            raise BuildError(f"{op.name} comes after {last.name}, which ends the block")
        self._ops.append(op)
        try:
            check_operands(op, lambda value: value.is_visible_to(op))
        except BuildError:
            self._ops.pop()
            raise

    def add_argument(self, type: ValueType) -> Value:
        """Add an argument, and return it."""
        self.arguments.append(Value(type, self, len(self.arguments)))
        return self.arguments[-1]

    def remove_argument(self, index: int) -> None:
        """Remove an argument. BuildError if it has uses."""
        remove_value(self.arguments, index)

    def shell(self, values: dict[Value, Value]) -> Block:
        """Return a block with the same arguments."""
        made = Block()
        made.arguments = _copied(self.arguments, made, values)
        return made


class Region(Part):
    """A region: the blocks nested in an op. There is one, or none for an absent else."""

    __slots__ = ("_blocks",)

    parent: Op | Any

    def __init__(self, blocks: Iterable[Block] | None = None) -> None:
        super().__init__()
        self._blocks: Children[Block] = Children(self, () if blocks is None else blocks)

    @property
    def blocks(self) -> Children[Block]:
        """The blocks, in order."""
        return self._blocks

    @blocks.setter
    def blocks(self, blocks: list[Block]) -> None:
        self._blocks = replaced(self._blocks, blocks, self)

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


class Op(Placed):
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
        "_regions",
        "attributes",
        "offset",
        "position",
        "results",
        "spec",
    )

    parent: Block | Any

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
        self._operands = operands if operands.__class__ is not Operands else dict(operands)
        self.attributes = attributes
        self.results = [] if results is None else results
        self._regions: Children[Region] | Any = regions and Children(self, regions)
        self.offset = offset
        self.position = position
        self._location = location

    # Parts --------------------------------------------------------------------------------------

    @property
    def operands(self) -> dict[str, Any]:
        """Operand slot -> value."""
        if self._operands.__class__ is dict:
            self._operands = Operands(self, self._operands)
        return self._operands

    @operands.setter
    def operands(self, operands: dict[str, Any]) -> None:
        if self.tracked:
            self.unregister()
        self._operands = Operands(self, operands) if isinstance(operands, dict) else operands
        if self.tracked:
            self.register()

    @property
    def regions(self) -> Children[Region]:
        """The regions, as many as the op's row has."""
        if self._regions is None:
            self._regions = Children(self) if self.spec.regions else _NO_REGIONS
        return self._regions

    @regions.setter
    def regions(self, regions: list[Region]) -> None:
        old: Children[Region] = self.regions
        if old is _NO_REGIONS:
            old = Children(self)
        self._regions = replaced(old, regions, self)

    @property
    def inside(self) -> Children[Region]:
        """The regions."""
        return self.regions

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
    def location(self, location: Location | Callable[[int], Location | None] | None) -> None:
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

    def walk(self) -> Iterator[Op]:
        """Yield this op and the ops nested in it, in pre-order.

        A block is looked at when it is reached: what is inserted afterwards is not yielded, nor
        what has been taken out.
        """
        yield self
        yield from walk(self.nested())

    def nested(self) -> list[Op]:
        """Return the ops right inside of the regions, in order."""
        if not self._regions:
            return []
        return [op for region in self._regions for block in region.blocks for op in block.ops]

    def outer_operands(self) -> Iterator[tuple[Op, str, Value]]:
        """Yield each op, slot and value where this op or one in it uses a value from around."""
        inside = set(self.defined()) if self.regions else ()
        for op in self.walk():
            for slot, operand in op.operands.items():
                for value in _values_of(operand):
                    if value not in inside:
                        yield op, slot, value

    def own_values(self) -> Iterable[Value]:
        """Return the results."""
        return [value for value in self.results if isinstance(value, Value)]

    # Uses ---------------------------------------------------------------------------------------

    def uses_of(self, value: Value) -> Iterator[Use]:
        """Yield the operands of this op that are that value."""
        for slot, operand in self._operands.items():
            if operand is value:
                yield Use(self, slot, None)
            elif isinstance(operand, tuple):
                for index in [i for i, each in enumerate(operand) if each is value]:
                    yield Use(self, slot, index)

    def _used(self) -> Iterator[Value]:
        """Yield the operands, without objects that are no values."""
        if isinstance(self._operands, dict):
            for operand in self._operands.values():
                yield from _values_of(operand)

    def register(self, inside: Container[Value] | None = None) -> None:
        """Enter the op among the users of its operands, if they are `inside`."""
        for value in self._used():
            if inside is None or value in inside:
                if value.users is None:
                    value.users = {}
                value.users[self] = None

    def unregister(self) -> None:
        """Take the op out of the users of its operands."""
        for value in self._used():
            if value.users:
                value.users.pop(self, None)

    def operand_changed(self, before: object) -> None:
        """Note that an operand slot has changed; `before` is what was in it."""
        if not self.tracked:
            return
        present = set(self._used())
        for value in _values_of(before):
            if value not in present and value.users:
                value.users.pop(self, None)
        root = self.root
        self.register(None if root.tracks_all else set(root.defined()))

    # Results and copies -------------------------------------------------------------------------

    def add_result(self, type: Type) -> Value:
        """Add a result, and return it."""
        self.results.append(Value(type, self, len(self.results)))
        return self.results[-1]

    def remove_result(self, index: int) -> None:
        """Remove a result. BuildError if it has uses."""
        remove_value(self.results, index)

    def shell(self, values: dict[Value, Value]) -> Op:
        """Return an op with new results, copied attributes, and no operands."""
        made = Op(
            self.spec,
            {},
            {name: copied_attribute(value) for name, value in self.attributes.items()},
            offset=self.offset,
            position=self.position,
            location=self._location,
        )
        made.results = _copied(self.results, made, values)
        return made

    def use_copies(self, original: Part, values: Mapping[Value, Value]) -> None:
        """Take over the operands of the original, or their copies."""
        if isinstance(original, Op):
            operands = original.operands
            self.operands = {slot: _mapped(each, values) for slot, each in operands.items()}

    def __repr__(self) -> str:
        results = ", ".join(_spelled(value) for value in self.results)
        operands = ", ".join(_spelled(value) for value in self.operand_list())
        return f"{results}{' = ' if results else ''}{self.name} {operands}".rstrip()

    _repr_html_ = folded_op


def _values_of(operand: object) -> Iterator[Value]:
    """Yield the values in an operand slot; objects that are none are left out."""
    for value in operand if isinstance(operand, tuple) else (operand,):
        if isinstance(value, Value):
            yield value


_NO_REGIONS: Children[Region] = NoChildren(Part())


def _mapped(operand: Any, values: Mapping[Value, Value]) -> Any:
    if isinstance(operand, tuple):
        return tuple([_mapped(value, values) for value in operand])
    return values.get(operand, operand) if isinstance(operand, Value) else operand


def _copied(old: Sequence[Value], owner: Op | Block, values: dict[Value, Value]) -> list[Value]:
    made = [Value(v.type, owner, index, v.number) for index, v in enumerate(old)]
    values.update(zip(old, made, strict=True))
    return made


def _spelled(value: Value) -> str:
    return f"%{'?' if value.number == NO_NUMBER else value.number}"
