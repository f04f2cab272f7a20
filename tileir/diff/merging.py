"""The lines of two modules merged to one list: what both have once, what differs as it is in each.

An op that only moved is shown where it has come to, and not where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from tileir.ir import Block, Op
from tileir.read.function import Function

from .comparing import Difference
from .hunks import GONE, MOVED, NEW, NOTE, OTHER, SAME, Line
from .matching import OpPairs
from .printed import PrintedModule
from .rows import FunctionPair, Row
from .wording import Wording

SHOWN = 8
"""Ops around a line that its path names."""


class Merging:
    """Merges the lines of functions, one after the other."""

    def __init__(self, before: PrintedModule, after: PrintedModule, wording: Wording) -> None:
        self.before, self.after = before, after
        self._wording = wording
        self._rows: dict[Op, Row] = {}
        self._known: OpPairs | None = None
        self._path = ""

    def functions(
        self, difference: Difference
    ) -> Iterator[tuple[FunctionPair, Iterator[Line] | None]]:
        """Yield the functions in pairs, each with its lines; None where nothing differs.

        The lines of a pair are made until the next one is asked for.
        """
        rows: dict[int, list[Row]] = {}
        for row in difference.rows:
            rows.setdefault(id(row.function), []).append(row)
        for pair in difference.functions:
            own = rows.get(id(pair))
            known = difference.pairs.get(pair)
            yield pair, None if own is None else self._function(pair, own, known)

    def _function(
        self, pair: FunctionPair, rows: Sequence[Row], known: OpPairs | None
    ) -> Iterator[Line]:
        own = next((row for row in rows if row.subject == "function"), None)
        self._rows = {row.after: row for row in rows if isinstance(row.after, Op)}
        self._path, self._known = f"@{pair.name}", known
        before, after = pair.before, pair.after
        if before is None or after is None:
            yield from self._whole(before, after)
            return
        lines = self.before.function[id(before)], self.after.function[id(after)]
        blocks = before.body.block, after.body.block
        inner = self.before.block[blocks[0]], self.after.block[blocks[1]]
        heads = range(lines[0].start, inner[0].start), range(lines[1].start, inner[1].start)
        yield from self._changed(*heads) if own else self._same(*heads, SAME)
        yield from self._notes(own)
        if known is None:
            yield from self._same(*inner, SAME)
        else:
            yield from self._block(*blocks, known, SAME)
        yield from self._same(
            range(inner[0].stop, lines[0].stop), range(inner[1].stop, lines[1].stop), SAME
        )

    def _whole(self, before: Function | None, after: Function | None) -> Iterator[Line]:
        if before is not None:
            yield from self._gone(self.before.function[id(before)])
        if after is not None:
            yield from self._new(self.after.function[id(after)])

    # Blocks and ops -----------------------------------------------------------------------------

    def _block(self, before: Block, after: Block, known: OpPairs, mark: str) -> Iterator[Line]:
        one, two = iter(before.ops), iter(after.ops)
        for pair in known.order.get(before, ()):
            yield from self._up_to(pair[0], one, self._without_partner)
            yield from self._up_to(pair[1], two, self._arrived)
            yield from self._pair(*pair, known, mark)
        yield from self._up_to(None, one, self._without_partner)
        yield from self._up_to(None, two, self._arrived)
        yield from self._ends(before, after, mark)

    @staticmethod
    def _up_to(
        end: Op | None, ops: Iterator[Op], show: Callable[[Op], Iterator[Line]]
    ) -> Iterator[Line]:
        for op in ops:
            if op is end:
                return
            yield from show(op)

    def _ends(self, before: Block, after: Block, mark: str) -> Iterator[Line]:
        """Yield what stands behind the ops of two blocks: the marks of opaque ends."""
        lines = []
        for text, block in ((self.before, before), (self.after, after)):
            own = text.block.get(block, range(0))
            stops = [text.lines_of(op).stop for op in block.ops if text.lines_of(op)]
            lines.append(range(max(stops, default=own.start), own.stop))
        yield from self._compared(lines[0], lines[1], mark)

    def _without_partner(self, op: Op) -> Iterator[Line]:
        """Yield the lines of an op of the first module; what moved is shown where it is now."""
        if self._known is not None and op in self._known.op:
            return
        yield from self._inside(op, self.before, self._gone, self._without_partner)

    def _arrived(self, op: Op) -> Iterator[Line]:
        """Yield the lines of an op of the second module that is new here."""
        known = self._known
        other = known.op.get(op) if known is not None else None
        if known is None or other is None:
            yield from self._inside(op, self.after, self._new, self._arrived)
            return
        yield from self._pair(other, op, known, MOVED)

    def _inside(
        self,
        op: Op,
        text: PrintedModule,
        show: Callable[[range], Iterator[Line]],
        inner: Callable[[Op], Iterator[Line]],
    ) -> Iterator[Line]:
        start = text.lines_of(op).start
        with_path = self._path
        self._path = _below(with_path, op)
        for block in _blocks(op):
            lines = text.block.get(block, range(0))
            yield from show(range(start, lines.start))
            for each in block.ops:
                yield from inner(each)
            start = lines.stop
        self._path = with_path
        yield from show(range(start, text.lines_of(op).stop))

    def _pair(self, before: Op, after: Op, known: OpPairs, mark: str) -> Iterator[Line]:
        row = self._rows.get(after)
        one, two = self.before.lines_of(before), self.after.lines_of(after)
        starts = [one.start, two.start]
        with_path, head = self._path, True
        self._path = _below(with_path, after) if after.regions else with_path
        for first, second in zip_longest(_blocks(before), _blocks(after)):
            inner = (
                self.before.block.get(first, range(one.stop, one.stop)),
                self.after.block.get(second, range(two.stop, two.stop)),
            )
            heads = range(starts[0], inner[0].start), range(starts[1], inner[1].start)
            yield from self._head(row, heads, mark) if head else self._compared(*heads, mark)
            head = False
            if first is not None and second is not None:
                yield from self._block(first, second, known, mark)
            elif first is not None:
                yield from self._up_to(None, iter(first.ops), self._without_partner)
            elif second is not None:
                yield from self._up_to(None, iter(second.ops), self._arrived)
            starts = [inner[0].stop, inner[1].stop]
        self._path = with_path
        tails = range(starts[0], one.stop), range(starts[1], two.stop)
        yield from self._head(row, tails, mark) if head else self._compared(*tails, mark)

    def _head(self, row: Row | None, lines: tuple[range, range], mark: str) -> Iterator[Line]:
        """Yield the lines of an op that stand before its regions, and what changed."""
        if row is None:
            yield from self._same(*lines, mark)
            return
        if row.changes:
            yield from self._changed(*lines)
        else:
            yield from self._new(lines[1], MOVED)
        yield from self._notes(row)

    # Lines --------------------------------------------------------------------------------------

    def _compared(self, before: range, after: range, mark: str) -> Iterator[Line]:
        """Yield lines that no row is about, such as ``} else {``."""
        one = [self.before.lines[index].strip() for index in before]
        two = [self.after.lines[index].strip() for index in after]
        yield from self._same(before, after, mark) if one == two else self._changed(before, after)

    def _same(self, before: range, after: range, mark: str) -> Iterator[Line]:
        for one, two in zip_longest(before, after):
            if two is not None:
                yield Line(mark, one, two, self.after.lines[two], self._path)

    def _changed(self, before: range, after: range) -> Iterator[Line]:
        if [self.before.lines[i] for i in before] == [self.after.lines[i] for i in after]:
            yield from self._same(before, after, OTHER)
            return
        yield from self._gone(before)
        yield from self._new(after)

    def _gone(self, lines: range) -> Iterator[Line]:
        for index in lines:
            yield Line(GONE, index, None, self.before.lines[index], self._path)

    def _new(self, lines: range, mark: str = NEW) -> Iterator[Line]:
        for index in lines:
            yield Line(mark, None, index, self.after.lines[index], self._path)

    def _notes(self, row: Row | None) -> Iterator[Line]:
        """Yield what is to be said about a row: where an op was before, and what changed."""
        if row is None:
            return
        said = [self._wording.change(row, change) for change in row.changes]
        if row.kind == "moved" and isinstance(row.before, Op):
            lines = self.before.lines_of(row.before)
            around = row.before.parent_op
            inside = f", in {around.name}" if around is not None else ""
            said.insert(0, f"moved from line {lines.start + 1}{inside}")
        for text in said:
            yield Line(NOTE, None, None, text, self._path)


def _below(path: str, op: Op) -> str:
    """Return the path of what is in the regions of an op; of deep ones, the beginning."""
    if path.count(" ") >= SHOWN:
        return path if path.endswith(" ...") else f"{path} ..."
    return f"{path} {op.name}"


def _blocks(op: Op) -> list[Block]:
    return [block for region in op.regions for block in region.blocks]
