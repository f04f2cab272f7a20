"""The body of an entry: names and where they are visible, blocks, and one op after the other.

What is wrong with an op is reported and the op left out; its results are then of unknown type, and
about what uses those nothing is said. So each problem is told once, and reading goes on.
"""

from __future__ import annotations

import re

from tileir.formats.ops import BY_NAME, OPS
from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.ir.locations import CallSite, SourceLocation
from tileir.ir.region_name import region_name
from tileir.ir.slot_types import infer, operand_slots
from tileir.messages.wording import choice, counted, did_you_mean
from tileir.types import Type

from .diagnostics import Refused, Stop
from .lexer import NO_ATTRIBUTES, RESULTS, SKIP, SOME_RESULTS, line_of, phrase, shown
from .operations import syntax_of
from .parsed import ParsedOp
from .results import finished
from .scope import UNKNOWN, BodyScope
from .source import Source
from .structured import READERS

SPECS: dict[str, Spec] = {
    name: spec for spec in OPS if spec.in_body for name in (spec.mnemonic, *spec.aliases)
}
"""Every mnemonic, older ones included -> the row of the op."""

START = re.compile(rf"(?:({RESULTS})={SKIP})?(?:cuda_tile\.)?([A-Za-z_]\w*+){SKIP}", re.ASCII)
"""The start of an op: the names of its results and its mnemonic."""

GENERIC = re.compile(rf'(?:{RESULTS}={SKIP})?"', re.ASCII)
DIALECT_OP = re.compile(r"(\w++)\.([\w.]++)", re.ASCII)
NAMED = re.compile(r"(%[\w$.-]++)(?::([0-9]++))?", re.ASCII)
AHEAD = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|[{}]'
    rf"|\n[ \t\r]*+(?:({SOME_RESULTS})=|(?:cuda_tile\.)?(\w++))?",
    re.ASCII,
)
MOST_RESULTS = 1 << 16
"""Names that one pack such as ``%5:2`` may stand for."""

CLOSE = phrase("}")


class Place:
    """A block that is being read: the region's row and op, how many names there were before, and
    where it is opened. `failed` is set by an op that makes no sense, `over` by one behind the end.
    """

    __slots__ = ("block", "failed", "op", "opened", "over", "row", "visible")

    def __init__(self, op: Op | None, row: Row, block: Block, visible: int, opened: int) -> None:
        self.op = op
        self.row = row
        self.block = block
        self.visible = visible
        self.opened = opened
        self.failed = self.over = False

    def __str__(self) -> str:
        return region_name(self.op, self.row)

    def wanted(self, name: str) -> list[Type | None] | None:
        """The types that a terminator of that name hands over here; None if it goes further."""
        rule = dict(self.row.gives).get(name)
        if rule is None:
            return None
        slots = operand_slots(self.op)
        for slot in self.op.spec.results[:1]:
            slots[slot.name] = self.op.results
        if any(value.type is None for value in slots[rule.slot]):
            return [None]
        return infer(self.op, rule, slots)


class BodyReader(BodyScope):
    """Reads the body of one entry. Then `positions` has every location that was stated, by its
    identity, and where; `starts` where ops begin, by theirs."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.places: list[Place] = []
        self.positions: dict[int, tuple[SourceLocation | CallSite, int]] = {}
        self.starts: dict[int, int] = {}

    # Names --------------------------------------------------------------------------------------

    def _named(self, results: str | None, at: int) -> list[tuple[str, int, int]]:
        """The names in front of an op: name, how many values, position."""
        found = []
        for match in NAMED.finditer(results or ""):
            count = 1
            if match[2]:
                count = int(match[2]) if len(match[2]) < 9 else MOST_RESULTS + 1
                if not 0 < count <= MOST_RESULTS:
                    text, start = f"{shown(match[0])} is no pack of results", at + match.start()
                    raise Refused(text, start, len(match[0]))
            found.append((match[1], count, at + match.start()))
        return found

    def _name_results(self, named: list[tuple[str, int, int]], op: Op, lost: list[Value]) -> None:
        """Define the names of an op's results; `lost` are those the version does not have."""
        results = [*op.results, *lost]
        count = sum(count for _, count, _ in named)
        if named and count != len(results):
            has = counted(len(results), "result")
            first, _, at = named[0]
            self.report.add(f"{op.name} has {has}, the names are for {count}", at, len(first))
            self._name_unknown(named)
            return
        place = 0
        for name, count, at in named:
            for value in results[place : place + 1]:
                if value in lost:
                    since = op.spec.results[place].since
                    self.gone[name] = f"needs {since}, writing {self.gate.version}"
                else:
                    self.define(name, value, at)
            if count > 1:
                for index in range(count):
                    self.define(f"{name}#{index}", results[place + index], at)
            place += count

    def _name_unknown(self, named: list[tuple[str, int, int]]) -> None:
        for name, _, at in named:
            self.define(name, UNKNOWN, at)

    # Blocks -------------------------------------------------------------------------------------

    def region(
        self,
        op: Op | None,
        row: Row,
        arguments: list[tuple[str, int, Type | None]],
        implied: str | None,
    ) -> Block:
        reader, limits = self.reader, self.source.limits
        if len(self.places) > limits.region_depth:
            raise reader.refused(f"more than {limits.region_depth} regions inside each other")
        opened, block = reader.at, Block()
        reader.expect(phrase("{"))
        place = Place(op, row, block, len(self.defined), opened)
        self.places.append(place)
        for name, at, type in arguments:
            value = Value(type, block, len(block.arguments), 0)
            block.arguments.append(value)
            self.define(name, value, at)
        self._ops(place)
        self._end(place, implied)
        self.places.pop()
        self.forget(place.visible)
        return block

    def _end(self, place: Place, implied: str | None) -> None:
        """The closing brace, and the terminator before it."""
        reader, ops, at = self.reader, place.block.ops, self.reader.at
        if not reader.accept(CLOSE):
            line = line_of(reader.text, place.opened)
            self.report.add(f"the {place} opened in line {line} is never closed", at)
            raise Stop
        if place.failed or (ops and ops[-1].spec.terminator):
            return
        if implied is None:
            ends = choice(place.row.terminators, quoted=False)
            self.report.add(f"the {place} does not end with {ends}", at)
            return
        end = Op(BY_NAME[implied], {"operands": ()}, {})
        self.hand_over(end, at, 1)
        self.starts[id(end)] = at
        ops.append(end)

    def hand_over(self, op: Op, at: int, length: int) -> None:
        """Check what a terminator hands to the op it goes to."""
        found = [value.type for value in op.operands["operands"]]
        if None in found:
            return
        for place in reversed(self.places):
            wanted = place.wanted(op.name)
            if wanted is not None:
                if None not in wanted and found != wanted:
                    needs, has = (", ".join(map(str, t)) or "nothing" for t in (wanted, found))
                    text = f"{op.name} hands {has} to {place.op.name}, which is to get {needs}"
                    self.report.add(text, at, length)
                return
            if op.name not in place.row.terminators:
                ends = choice(place.row.terminators, quoted=False)
                text = f"{op.name} cannot end the {place}, which ends with {ends}"
                self.report.add(text, at, length)
                return
        if found:
            self.report.add("a kernel returns nothing", at, length)

    # Ops ----------------------------------------------------------------------------------------

    def _ops(self, place: Place) -> None:
        reader, text = self.reader, self.reader.text
        while not text.startswith("}", reader.at) and reader.at < len(text):
            start = reader.at
            match = START.match(text, start)
            try:
                if match is None:
                    raise self._no_op()
                self._op(match, place)
            except Refused as wrong:
                place.failed = True
                self.report.add(wrong.message, wrong.at, wrong.length)
                self._recover(match, start)

    def _no_op(self) -> Refused:
        """What to say where no op starts."""
        generic = GENERIC.match(self.reader.text, self.reader.at)
        if generic is None:
            return self.reader.expected("an op or '}'", after=False)
        return self.reader.refused("MLIR's generic form of ops is not read", generic.end() - 1)

    def _unknown_op(self, name: str, at: int) -> Refused:
        """What to say of a mnemonic that is none: it may be that of another dialect."""
        whole = DIALECT_OP.match(self.reader.text, at)
        if whole is None:
            return Refused(
                f"there is no op '{shown(name)}'{did_you_mean(name, SPECS)}", at, len(name)
            )
        meant = did_you_mean(whole[2], SPECS)
        text = (
            f"'{shown(whole[0])}' is of the dialect {shown(name)}, cuda_tile alone is read{meant}"
        )
        return Refused(text, at, len(whole[0]))

    def _op(self, match: re.Match[str], place: Place) -> None:
        reader, name = self.reader, match[2]
        named = self._named(match[1], match.start(1))
        spec = SPECS.get(name)
        if spec is None:
            raise self._unknown_op(name, match.start(2))
        ops = place.block.ops
        if ops and ops[-1].spec.terminator and not place.over:
            place.over = place.failed = True
            text = f"nothing may follow '{ops[-1].name}', which ends the {place}"
            self.report.add(text, match.start(2), len(name))
        if spec.since > self.gate.version:
            self.gate.need(spec.mnemonic, spec.since, match.start(2), len(name))
        reader.at = match.end()
        draft = ParsedOp(
            syntax_of(spec.mnemonic), match.start(2), sum(count for _, count, _ in named)
        )
        before = len(self.report)
        read = READERS.get(name)
        if read is None:
            for step in draft.syntax.steps:
                step(self, draft)
            op, lost = finished(self, draft)
        else:
            op, lost = read(self, draft)
        at = reader.at
        if reader.text.startswith("{", at):
            raise reader.refused(NO_ATTRIBUTES)
        op.location = self.source.locations.optional()
        if op.location is not None:
            self.positions.setdefault(id(op.location), (op.location, at))
        self._name_results(named, op, lost)
        if spec.terminator and len(self.report) == before:
            self.hand_over(op, draft.at, len(name))
        self.starts[id(op)] = draft.at
        ops.append(op)

    def _recover(self, match: re.Match[str] | None, start: int) -> None:
        """Go to the next op of the block, over regions of the one that failed."""
        reader, depth = self.reader, 0
        if match is not None and match[1]:
            self._name_unknown(self._named(match[1], match.start(1)))
        reader.at = len(reader.text)
        for piece in AHEAD.finditer(reader.text, start):
            if piece[0] == "{":
                depth += 1
            elif piece[0] == "}":
                depth -= 1
                if depth < 0:
                    reader.at = piece.start()
                    return
            elif depth == 0 and piece[0][0] == "\n" and (piece[1] or piece[2] in SPECS):
                reader.at = piece.start(1) if piece[1] else piece.start() + 1
                reader.skip()
                return
