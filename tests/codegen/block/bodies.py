"""Bodies of the block IR put together by hand, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from tileir.codegen.block.dialect import ROWS as TABLE
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Flight, Frag, Shared, Turn
from tileir.codegen.layouts.linear_layout import LinearLayout, blocked
from tileir.ir import Block, Body, Op, Region, Value
from tileir.ir.constants import to_constant
from tileir.types import FunctionType, PartitionView, Scalar, TensorView, Tile, Token, Type

F16, F32 = Scalar("f16"), Scalar("f32")
I1, I32 = Tile(Scalar("i1")), Tile(Scalar("i32"))
TOKEN = Token()
THREADS = 64
SHAPE = (32, 32)
ROWS, COLUMNS = (
    blocked(1024, 4, THREADS),
    blocked(1024, 4, THREADS).compose([1 << (bit + 5) % 10 for bit in range(10)]),
)
"""Two layouts of a tile of 32 by 32 elements."""
STRAIGHT = tuple(1 << bit for bit in range(10))
VIEW = PartitionView(SHAPE, TensorView(F16, (256, 256), (256, 1)), (0, 1))


class Builder:
    """Appends ops to a body; `tile` is one value of each kind that is asked for."""

    def __init__(self) -> None:
        self.outer = Block()
        self.body = Body(FunctionType((), ()), self.outer)
        self._block = self.outer
        self.view = self.outer.add_argument(VIEW)
        self.zero, self.true = self.outer.add_argument(I32), self.outer.add_argument(I1)

    def op(
        self, name: str, operands: dict | None = None, results: Sequence[Type] = (), **rest
    ) -> Op:
        regions = rest.pop("regions", ())
        made = make(name, operands, rest, results, regions)
        self._block.ops.append(made)
        return made

    def frag(self, layout: LinearLayout = ROWS, element: Scalar = F16) -> Value:
        kind = Frag(element, SHAPE, layout=layout)
        return self.op(
            "constant", results=[kind], value=to_constant(0, Tile(element, SHAPE))
        ).result

    def alloc(self, slots: int = 1, tiles: int = 1, offsets: tuple[int, ...] = STRAIGHT) -> Any:
        kinds = [Shared(F16, SHAPE, offsets, slots)] * tiles
        made = self.op("shared_alloc", results=kinds).results
        return made[0] if tiles == 1 else made

    def store(self, tile: Value, layout: LinearLayout = ROWS, part: int | None = None) -> Op:
        value = self.frag(layout)
        return self.op("store_shared", {"value": value, "destination": tile}, part=part)

    def load(self, tile: Value, layout: LinearLayout = COLUMNS, part: int | None = None) -> Op:
        kind = Frag(F16, tile.type.shape, layout=layout)
        return self.op("load_shared", {"source": tile}, [kind], part=part)

    def mma(self, lhs: Value, rhs: Value, acc: Value | None = None, **part: int) -> Op:
        acc = acc or self.frag(ROWS, F32)
        operands = {"lhs": lhs, "rhs": rhs, "acc": acc}
        return self.op("mma", operands, [acc.type], atom="mma.sync", paired="", **part)

    @contextmanager
    def inside(self, block: Block):
        """Append to another block."""
        around, self._block = self._block, block
        yield block
        self._block = around

    @contextmanager
    def loop(self, *inits: Value):
        """A `for`; yields the carried arguments."""
        block = Block()
        block.add_argument(I32)
        arguments = [block.add_argument(each.type) for each in inits]
        operands = self.bounds() | {"initValues": tuple(inits)}
        results = [each.type for each in inits]
        with self.inside(block):
            yield arguments
            if not block.ops or not block.ops[-1].spec.terminator:
                self.op("continue", {"operands": tuple(arguments)})
        self.op("for", operands, results, unsignedCmp=False, regions=[Region([block])])

    def branch(self, *sides) -> Op:
        """An `if` whose sides are functions that append to it."""
        regions = []
        for side in sides:
            with self.inside(Block()) as block:
                side()
                self.op("yield", {"operands": ()})
            regions.append(Region([block]))
        regions += [Region()] * (2 - len(regions))
        return self.op("if", {"condition": self.true}, regions=regions)

    def copy(self, slot: Value, exists: Value | None = None) -> Op:
        operands = {"view": self.view, "index": (self.zero, self.zero), "destination": slot}
        operands["predicate"] = exists
        return self.op(
            "copy_async",
            operands,
            [TOKEN][: len(TABLE["copy_async"].results)],
            threads=ROWS,
            vector=4,
            along=1,
            inbounds=(1, 1),
            whole=True,
            narrow=True,
        )

    def bounds(self) -> dict[str, Value]:
        return dict.fromkeys(("lowerBound", "upperBound", "step"), self.zero)

    def pipelined(self, slots: int, ahead: int | None = None, beside: bool = False) -> Op:
        """A product of two tiles whose copies are made `ahead`, in a ring."""
        ahead = slots - 1 if ahead is None else ahead
        rings = self.alloc(slots, 2)
        first = self.op("first_turn", {"ring": rings[0]}, [Turn(slots)]).result
        flight = Flight((rings[0].type.slot, rings[1].type.slot))
        prologue, body = Block(), Block()
        with self.inside(prologue):
            prologue.add_argument(I32)
            exists, turn = prologue.add_argument(I1), prologue.add_argument(first.type)
            self.op("yield", {"operands": self.fill(rings, turn, exists, flight)})
        with self.inside(body):
            body.add_argument(I32)
            body.add_argument(I32)
            exists, turn, under_way = (body.add_argument(each) for each in (I1, first.type, flight))
            oldest = turn
            for _ in range(slots - ahead):
                oldest = self.op("advance", {"ring": rings[0], "turn": oldest}, [turn.type]).result
            tiles = self.op(
                "wait_group",
                {"flight": under_way, "turn": oldest, "rings": tuple(rings)},
                flight.tiles,
                pending=ahead - 1,
            ).results
            if beside:
                self.mma(*tiles)
            following = self.fill(rings, turn, exists, flight)
            if not beside:
                self.mma(*tiles)
            self.op("continue", {"operands": following})
        operands = self.bounds() | {"initValues": (), "aheadValues": (first,)}
        regions = [Region([body]), Region([prologue])]
        return self.op("pipelined_for", operands, ahead=ahead, unsignedCmp=False, regions=regions)

    def fill(self, rings, turn: Value, exists: Value, flight: Flight) -> tuple[Value, Value]:
        slots = [
            self.op("shared_slot", {"ring": ring, "turn": turn}, [ring.type.slot]).result
            for ring in rings
        ]
        for slot in slots:
            self.copy(slot, exists)
        made = self.op("commit_group", {"tiles": tuple(slots)}, [flight]).result
        return self.op("advance", {"ring": rings[0], "turn": turn}, [turn.type]).result, made

    def finish(self) -> Body:
        self.op("return")
        return self.body
