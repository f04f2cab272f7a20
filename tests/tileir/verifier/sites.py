"""Where a mutation happens: an op, what is visible to it, and values made to order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tileir import Bytecode
from tileir.attributes import Hints
from tileir.bytecode import Function
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import NUMBERS
from tileir.ir import Block, Op, Region, Value
from tileir.ir.constants import Constant, element_size
from tileir.types import (
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)

MAKERS = {
    PartitionView: "make_partition_view",
    StridedView: "make_strided_view",
    GatherScatterView: "make_gather_scatter_view",
}
I32, I64, I8 = Scalar("i32"), Scalar("i64"), Scalar("i8")


@dataclass
class Site:
    """An op of a function and its surroundings. `op` is None for the module as a whole.

    `parents` are the ops around it, outermost first; `visible` the values it may use, `hidden` all
    other values of the function.
    """

    choice: random.Random
    bytecode: Bytecode
    function: Function
    op: Op
    block: Block
    parents: tuple[Op, ...] = ()
    visible: list[Value] = field(default_factory=list)
    hidden: list[Value] = field(default_factory=list)

    @property
    def index(self) -> int:
        """Position of the op in its block."""
        return next(i for i, op in enumerate(self.block.ops) if op is self.op)

    def insert(self, mnemonic: str, operands: dict, attributes: dict, *types: Type) -> Op:
        """A new op in front of this one."""
        op = made(mnemonic, operands, attributes, *types)
        self.block.ops.insert(self.index, op)
        return op

    def value(self, type: Type) -> Value | None:
        """A new value of that type, defined just before the op; None if no op gives such."""
        match type:
            case Token():
                return self.insert("make_token", {}, {}, type).result
            case Tile(element=Pointer()):
                address = self.value(Tile(I64, type.shape))
                return self.insert("int_to_ptr", {"source": address}, {}, type).result
            case Tile(element=Scalar("i4")):
                wide = self.value(Tile(I8, type.shape))
                attributes = {"overflow": "none"}
                return self.insert("trunci", {"from": wide}, attributes, type).result
            case Tile(element=Scalar()):
                if type.element.name not in NUMBERS:
                    return None
                value = Constant(type, bytes(element_size(type.element)))
                return self.insert("constant", {}, {"value": value}, type).result
            case TensorView():
                base = self.value(Tile(Pointer(type.element, type.attribute)))
                dynamic = {
                    name: tuple(self.value(Tile(I32)) for size in sizes if size is None)
                    for name, sizes in (
                        ("dynamicShape", type.shape),
                        ("dynamicStrides", type.strides),
                    )
                }
                return self.insert("make_tensor_view", {"base": base} | dynamic, {}, type).result
            case PartitionView() | StridedView() | GatherScatterView():
                tensor = {"tensor_view": self.value(type.view)}
                return self.insert(MAKERS[type.__class__], tensor, {}, type).result
        return None


def made(mnemonic: str, operands: dict, attributes: dict, *types: Type) -> Op:
    """An op that is in no block yet, absent operands and attributes filled in."""
    spec = BY_NAME[mnemonic]
    slots = {slot.name: () if slot.arity == "many" else None for slot in spec.operands}
    defaults = {slot.name: slot.default for slot in spec.attributes}
    op = Op(spec, slots | operands, defaults | attributes)
    op.results = [Value(type, op, index, -1) for index, type in enumerate(types)]
    return op


def sites(choice: random.Random, bytecode: Bytecode) -> Iterator[Site]:
    """Every op of a module."""
    for function in bytecode.functions:
        outer = list(function.body.block.arguments)
        everything = outer + [
            value
            for op in function.walk()
            for value in (
                *op.results,
                *(v for region in op.regions for block in region.blocks for v in block.arguments),
            )
        ]
        for site in _inside(choice, bytecode, function, function.body.block, (), outer):
            seen = set(site.visible)
            site.hidden = [value for value in everything if value not in seen]
            yield site


def _inside(choice, bytecode, function, block, parents, outer) -> Iterator[Site]:
    visible = list(outer)
    for op in list(block.ops):
        yield Site(choice, bytecode, function, op, block, parents, list(visible))
        for region in op.regions:
            for inner in region.blocks:
                within = visible + inner.arguments
                yield from _inside(choice, bytecode, function, inner, (*parents, op), within)
        visible += op.results


def copied(op: Op, known: dict[Value, Value] | None = None) -> Op:
    """A copy of an op with results of its own, regions included."""
    known = {} if known is None else known

    def same(value):
        if isinstance(value, tuple):
            return tuple(map(same, value))
        return known.get(value, value)

    operands = {name: same(value) for name, value in op.operands.items()}
    regions = [Region([copied_block(b, known) for b in region.blocks]) for region in op.regions]
    other = Op(op.spec, operands, dict(op.attributes), regions=regions, location=op.location)
    for value in op.results:
        known[value] = Value(value.type, other, value.index, -1)
        other.results.append(known[value])
    return other


def copied_block(block: Block, known: dict[Value, Value]) -> Block:
    """A copy of a block with values of its own."""
    other = Block()
    for value in block.arguments:
        known[value] = Value(value.type, other, value.index, -1)
        other.arguments.append(known[value])
    other.ops = [copied(op, known) for op in block.ops]
    return other


def no_hints() -> Hints:
    """Hints that say nothing."""
    return Hints({})
