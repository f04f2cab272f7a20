"""Choose how tiles get into other layouts: in the registers of a warp, or through shared memory.

A conversion that other registers, selects and few shuffles can do stays an op. Of the others, every
owner stores its elements to shared memory, swizzled (see `layouts.swizzle`), and every thread loads
those that it needs. A tile that is too large for that is converted in pieces. Conversions that
stand next to each other store first and load then, so that one barrier serves all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag, Shared
from tileir.codegen.layouts.linear_layout import LinearLayout, log2, span
from tileir.codegen.layouts.swizzle import WIDEST, swizzle
from tileir.codegen.layouts.warp_conversions import mask_of, warp_conversion
from tileir.codegen.nvptx.reasons import Reason, Reasons
from tileir.codegen.scalar.types import memory_bytes
from tileir.formats.ops.spec import SILENT
from tileir.ir import Block, Body, Op, Value
from tileir.messages.wording import counted
from tileir.types import Element

MOST_SHUFFLES = 8
"""The most shuffles for one tile; above it, shared memory is faster."""
PIECE_BYTES = 32 << 10
"""Bytes of shared memory for one piece of a tile; every target has more without opting in."""
MOST_PIECES = 4
"""A tile with more pieces gets more memory, since each piece may take a predicated access for
every register of a thread."""
TOGETHER_BYTES = 16 << 10
"""Bytes of shared memory up to which neighbouring conversions have one barrier."""


class Way(NamedTuple):
    """How a conversion is done, and why."""

    in_registers: bool
    """Whether elements stay in the registers of their warp."""
    reason: Reason


def choose_copies(body: Body, room: int, reasons: Reasons) -> None:
    """Expand the conversions of a body that go through shared memory; `room` is the bytes of it
    that a conversion may take.

    `reasons` gets why each goes its way, for the op, or for the load that makes its result.
    """
    blocks = [block for op in body.walk() for region in op.regions for block in region.blocks]
    ways: dict[Op, Way] = {}
    for block in (*blocks, body.block):
        for op in block.ops:
            if op.name == "convert_layout":
                ways[op] = _way(op)
        _expand(block, room, ways)
    for op, way in ways.items():
        reasons.add(op, way.reason)


def way_between(source: LinearLayout, target: LinearLayout, element: Element) -> Way:
    """Return how a tile gets from one layout to another."""
    steps = warp_conversion(source, target)
    if steps.renames:
        return Way(True, Reason("renamed"))
    if not steps.keeps_warps:
        return Way(False, Reason("warps_change"))
    shuffles = steps.shuffles(8 * memory_bytes(element))
    if shuffles <= MOST_SHUFFLES:
        return Way(True, Reason("few_shuffles", counted(shuffles, "shuffle")))
    return Way(False, Reason("many_shuffles", shuffles))


def _expand(block: Block, room: int, ways: dict[Op, Way]) -> None:
    for group in _groups(block, ways):
        anchor, copies = group[-1], [_Copy(op, room) for op in group]
        for op, copy in zip(group, copies, strict=True):
            for made in copy.stores():
                made.insert_before(op)
        for copy in copies:
            for made in copy.loads():
                made.insert_before(anchor)
        # Only what is behind the last one uses a result of any of them.
        for op, copy in zip(group, copies, strict=True):
            ways[cast(Op, cast(Value, copy.loaded).owner)] = ways.pop(op)
            op.replace_with(copy.loaded)


def _groups(block: Block, ways: Mapping[Op, Way]) -> Iterator[list[Op]]:
    """Yield the conversions to expand, in order: those that can be expanded together at a time."""
    group: list[Op] = []
    taken, results = 0, set()
    for op in list(block.ops):
        if group and (not _may_be_between(op) or not results.isdisjoint(op.operand_list())):
            yield group
            group, taken, results = [], 0, set()
        if op not in ways or ways[op].in_registers:
            continue
        size = _bytes(op)
        if group and taken + size > TOGETHER_BYTES:
            yield group
            group, taken, results = [], 0, set()
        group, taken = [*group, op], taken + size
        results.add(op.result)
        if size > PIECE_BYTES:  # its pieces are loaded one after the other
            yield group
            group, taken, results = [], 0, set()
    if group:
        yield group


def _way(op: Op) -> Way:
    source, target = _frag(op.operands["source"]), _frag(op.result)
    return way_between(source.layout, target.layout, target.element)


def _may_be_between(op: Op) -> bool:
    """Return whether loads from shared memory may move behind an op that does not use them."""
    if op.regions or op.spec.terminator or op.spec.effects not in SILENT:
        return False
    if op.attributes.get("memory_ordering_semantics") not in (None, "weak"):
        return False
    return not any(isinstance(value.type, Shared) for value in op.operand_list())


def _frag(value: Value) -> Frag:
    """Return the type of a tile of several elements in registers."""
    return cast(Frag, value.type)


def _bytes(op: Op) -> int:
    return memory_bytes(op.result.type.element) * op.result.type.size


class _Copy:
    """The ops that take the place of one conversion."""

    def __init__(self, op: Op, room: int) -> None:
        self._op, self._kind = op, _frag(op.result)
        source: Value = op.operands["source"]
        self._made: list[Op] = []
        target, size = self._kind.layout, memory_bytes(self._kind.element)
        steps = warp_conversion(_frag(source).layout, target)
        self._value = source
        if steps.selections:
            kind = Frag(self._kind.element, self._kind.shape, layout=steps.selected)
            self._value = self._add("convert_layout", {"source": source}, [kind])
        cut = _cut(steps.selected, target, size, room)
        offsets = offsets_between(steps.selected, target, size, cut)
        memory = Shared(self._kind.element, self._kind.shape, offsets)
        self._memory = self._add("shared_alloc", {}, [memory])
        self._parts: list[int | None] = [None]
        if cut:
            self._parts = [*span([1 << bit for bit in range(cut.bit_length()) if cut >> bit & 1])]
        self.loaded: Value | None = None
        """What has been loaded so far; in the end, the result."""

    def stores(self) -> list[Op]:
        """Return the ops of the first piece, up to its store."""
        self._store(self._parts[0])
        return self._taken()

    def loads(self) -> list[Op]:
        """Return the ops from the load of the first piece on."""
        self._load(self._parts[0])
        for part in self._parts[1:]:
            self._store(part)
            self._load(part)
        return self._taken()

    def _store(self, part: int | None) -> None:
        operands = {"value": self._value, "destination": self._memory}
        self._made.append(make("store_shared", operands, {"part": part}, origin=self._op))

    def _load(self, part: int | None) -> None:
        operands = {"source": self._memory, "rest": self.loaded}
        self.loaded = self._add("load_shared", operands, [self._kind], {"part": part})

    def _add(
        self, name: str, operands: dict, results: list, attributes: dict | None = None
    ) -> Value:
        self._made.append(make(name, operands, attributes, results, origin=self._op))
        return self._made[-1].result

    def _taken(self) -> list[Op]:
        made, self._made = self._made, []
        return made


def offsets_between(
    source: LinearLayout, target: LinearLayout, size: int, cut: int = 0
) -> tuple[int, ...]:
    """Return where elements of `size` bytes lie that are stored from one layout and loaded in
    another, counted in elements; the bits of the mask `cut` number pieces.

    If every thread gets the elements of all warps, as for a fold, these lie side by side.
    """
    gathered = _gathered(source, target)
    if gathered and not cut:
        rest = [1 << bit for bit in range(source.bits) if 1 << bit not in gathered]
        order = [*gathered, *rest]
        return tuple(1 << order.index(1 << bit) for bit in range(source.bits))
    images = swizzle(source.without(cut), target.without(cut), size).images
    return tuple(0 if cut >> bit & 1 else image for bit, image in enumerate(images))


def _gathered(source: LinearLayout, target: LinearLayout) -> list[int]:
    """Return the bases of warps that become registers if nothing else changes; none otherwise."""
    pairs = list(zip(source.warp, target.warp, strict=True))
    gathered = [base for base, after in pairs if base != after]
    if any(after for base, after in pairs if base != after) or source.lane != target.lane:
        return []
    if {*source.register, *gathered} != {*target.register}:
        return []
    return gathered if all(base.bit_count() == 1 for base in gathered) else []


def _cut(source: LinearLayout, target: LinearLayout, size: int, room: int) -> int:
    """Return the mask of the element bits that number the pieces: best register bits of both."""
    whole, piece = size << source.bits, PIECE_BYTES
    while piece * MOST_PIECES < whole and 2 * piece <= room:
        piece *= 2
    need = whole.bit_length() - piece.bit_length()
    common = [base for base in source.register if base in target.register]
    free = common[log2(WIDEST // size) :][::-1]
    others = [1 << bit for bit in reversed(range(source.bits)) if 1 << bit not in common]
    return mask_of(tuple([*free, *others][: max(need, 0)]))
