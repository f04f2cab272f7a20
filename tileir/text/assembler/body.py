"""The body of an entry: blocks, ops, and the names of values.

An op with a problem is reported and left out; its results then have an unknown type, and ops that
use them are not checked. So each problem is reported once, and reading continues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from tileir.formats.ops.spec import Op as Spec
from tileir.formats.ops.spec import Region as Row
from tileir.ir import Block, Op, Value
from tileir.ir.locations import CallSite, SourceLocation
from tileir.ir.region_name import region_name
from tileir.ir.slot_types import all_slots, infer
from tileir.messages.wording import choice, counted, did_you_mean
from tileir.types import Type

from .diagnostics import Refused, Stop
from .grammar import Grammar
from .lexer import NO_ATTRIBUTES, RESULTS, SKIP, SOME_RESULTS, line_of, phrase, shown
from .operations import syntax_of
from .parsed import ParsedOp
from .results import finished
from .scope import UNKNOWN, BodyScope
from .source import Source
from .structured import TILE_IR_GRAMMAR

START = re.compile(rf"(?:({RESULTS})={SKIP})?(?:cuda_tile\.)?([A-Za-z_][\w$]*+){SKIP}", re.ASCII)
"""The start of an op: the names of its results and its mnemonic."""

GENERIC = re.compile(rf'(?:{RESULTS}={SKIP})?"', re.ASCII)
DIALECT_OP = re.compile(r"(\w++)\.([\w.]++)", re.ASCII)
NAMED = re.compile(r"(%[\w$.-]++)(?::([0-9]++))?", re.ASCII)
AHEAD = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"?|//[^\n]*+|[{}]'
    rf"|\n[ \t\r]*+(?:({SOME_RESULTS})=|(?:cuda_tile\.)?([\w$]++))?",
    re.ASCII,
)
MOST_RESULTS = 1 << 16
"""The most results that one pack such as ``%5:2`` may name."""

CLOSE = phrase("}")


class UnclosedBlock:
    """A block that is being read.

    `op` and `row` are the op and the region that have it, `visible` is how many names were defined
    before, `opened` the position of the brace. `failed` is set by an op that cannot be read, `over`
    by one after the terminator.
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

    def wanted(self, name: str) -> Sequence[Type | None] | None:
        """Return the operand types that a terminator must have here; None if it leaves an outer op.

        A type is None if it is unknown.
        """
        gives = dict(self.row.gives)
        if name not in gives or self.op is None:
            return None
        rule = gives[name]
        if rule is None:
            return [None]
        slots = all_slots(self.op)
        if any(value.type is None for value in slots[rule.slot]):
            return [None]
        wanted = infer(self.op, rule, slots)
        return [None] if wanted is None else wanted  # its operands were reported


class BodyReader(BodyScope):
    """The reader of an entry's body.

    Afterwards, `stated` has every location and its position in the text, by the identity of the
    location, and `starts` the positions of ops, by their identities.
    """

    def __init__(self, source: Source, grammar: Grammar = TILE_IR_GRAMMAR) -> None:
        super().__init__(source)
        self.grammar = grammar
        self.open_blocks: list[UnclosedBlock] = []
        self.stated: dict[int, tuple[SourceLocation | CallSite, int]] = {}
        self.starts: dict[int, int] = {}

    # Names --------------------------------------------------------------------------------------

    def _named(self, results: str | None, at: int) -> list[tuple[str, int, int]]:
        """Return the names in front of an op, each with its number of values and its position."""
        names = []
        for match in NAMED.finditer(results or ""):
            count = 1
            if match[2]:
                count = int(match[2]) if len(match[2]) < 9 else MOST_RESULTS + 1
                if not 0 < count <= MOST_RESULTS:
                    text, start = f"{shown(match[0])} is no pack of results", at + match.start()
                    raise Refused(text, start, len(match[0]))
            names.append((match[1], count, at + match.start()))
        return names

    def _name_results(self, named: list[tuple[str, int, int]], op: Op, lost: list[Value]) -> None:
        """Define the names of an op's results; `lost` are results that the version lacks."""
        results = [*op.results, *lost]
        count = sum(count for _, count, _ in named)
        if named and count != len(results):
            has = counted(len(results), "result")
            first, _, at = named[0]
            self.report.add(f"{op.name} has {has}, the names are for {count}", at, len(first))
            self._name_unknown(named)
            return
        first_index = 0
        for name, count, at in named:
            for value in results[first_index : first_index + 1]:
                if value in lost:
                    since = op.spec.results[first_index].since
                    self.gone[name] = f"needs {since}, writing {self.gate.version}"
                else:
                    self.define(name, value, at)
            if count > 1:
                for index in range(count):
                    self.define(f"{name}#{index}", results[first_index + index], at)
            first_index += count

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
        if len(self.open_blocks) > limits.region_depth:
            raise reader.refused(f"more than {limits.region_depth} regions inside each other")
        opened, block = reader.at, Block()
        reader.expect(phrase("{"))
        open_block = UnclosedBlock(op, row, block, len(self.defined), opened)
        self.open_blocks.append(open_block)
        for name, at, type in arguments:
            value = Value(type, block, len(block.arguments), 0)
            block.arguments.append(value)
            self.define(name, value, at)
        self._ops(open_block)
        self._end(open_block, implied)
        self.open_blocks.pop()
        self.forget(open_block.visible)
        return block

    def _end(self, open_block: UnclosedBlock, implied: str | None) -> None:
        """Read the closing brace, and check or add the terminator before it."""
        reader, ops, at = self.reader, open_block.block.ops, self.reader.at
        if not reader.accept(CLOSE):
            line = line_of(reader.text, open_block.opened)
            self.report.add(f"the {open_block} opened in line {line} is never closed", at)
            raise Stop
        if open_block.failed or (ops and ops[-1].spec.terminator):
            return
        if implied is None:
            ends = choice(open_block.row.terminators, quoted=False)
            self.report.add(f"the {open_block} does not end with {ends}", at)
            return
        end = Op(cast(Any, self.grammar.dialect.rows[implied]), {"operands": ()}, {})
        self.hand_over(end, at, 1)
        self.starts[id(end)] = at
        ops.append(end)

    def hand_over(self, op: Op, at: int, length: int) -> None:
        """Check the operand types of a terminator against the op that it ends or leaves."""
        types = [value.type for value in op.operands["operands"]]
        if None in types:
            return
        for open_block in reversed(self.open_blocks):
            wanted = open_block.wanted(op.name)
            owner = open_block.op
            if wanted is not None and owner is not None:
                if None not in wanted and types != wanted:
                    needs, has = (", ".join(map(str, t)) or "nothing" for t in (wanted, types))
                    text = f"{op.name} hands {has} to {owner.name}, which is to get {needs}"
                    self.report.add(text, at, length)
                return
            if op.name not in open_block.row.terminators:
                ends = choice(open_block.row.terminators, quoted=False)
                text = f"{op.name} cannot end the {open_block}, which ends with {ends}"
                self.report.add(text, at, length)
                return
        if types:
            self.report.add("a kernel returns nothing", at, length)

    # Ops ----------------------------------------------------------------------------------------

    def _ops(self, open_block: UnclosedBlock) -> None:
        reader, text = self.reader, self.reader.text
        while not text.startswith("}", reader.at) and reader.at < len(text):
            start = reader.at
            match = START.match(text, start)
            try:
                if match is None:
                    raise self._no_op()
                self._op(match, open_block)
            except Refused as wrong:
                open_block.failed = True
                self.report.add(wrong.message, wrong.at, wrong.length)
                self._recover(match, start)

    def _no_op(self) -> Refused:
        """Return the problem where no op starts."""
        generic = GENERIC.match(self.reader.text, self.reader.at)
        if generic is None:
            return self.reader.expected("an op or '}'", after=False)
        return self.reader.refused("MLIR's generic form of ops is not read", generic.end() - 1)

    def _unknown_op(self, name: str, at: int) -> Refused:
        """Return the problem of an unknown mnemonic, which may be that of another dialect."""
        whole = DIALECT_OP.match(self.reader.text, at)
        if whole is None:
            return Refused(
                f"there is no op '{shown(name)}'{did_you_mean(name, self.grammar.rows)}",
                at,
                len(name),
            )
        meant = did_you_mean(whole[2], self.grammar.rows)
        text = (
            f"'{shown(whole[0])}' is of the dialect {shown(name)}, cuda_tile alone is read{meant}"
        )
        return Refused(text, at, len(whole[0]))

    def _op(self, match: re.Match[str], open_block: UnclosedBlock) -> None:
        """Read an op, whose results and name are in `match`, and append it to the block.

        What leaves the op without meaning raises Refused; other problems go to the report.
        """
        reader, name = self.reader, match[2]
        named = self._named(match[1], match.start(1))
        spec = self.grammar.rows.get(name)
        if spec is None:
            raise self._unknown_op(name, match.start(2))
        ops = open_block.block.ops
        if ops and ops[-1].spec.terminator and not open_block.over:
            open_block.over = open_block.failed = True
            text = f"nothing may follow '{ops[-1].name}', which ends the {open_block}"
            self.report.add(text, match.start(2), len(name))
        if not self.gate.open and isinstance(spec, Spec) and spec.since > self.gate.version:
            self.gate.need(spec.mnemonic, spec.since, match.start(2), len(name))
        reader.at = match.end()
        parsed = ParsedOp(
            syntax_of(self.grammar, spec.mnemonic),
            match.start(2),
            sum(count for _, count, _ in named),
        )
        before = len(self.report)
        read = self.grammar.readers.get(name)
        if read is None:
            for step in parsed.syntax.steps:
                step(self, parsed)
            op, lost = finished(self, parsed)
        else:
            op, lost = read(self, parsed)
        at = reader.at
        if reader.text.startswith("{", at):
            raise reader.refused(NO_ATTRIBUTES)
        location = op.location = self.source.locations.optional()
        if location is not None:
            self.stated.setdefault(id(location), (location, at))
        self._name_results(named, op, lost)
        if spec.terminator and len(self.report) == before:
            self.hand_over(op, parsed.at, len(name))
        self.starts[id(op)] = parsed.at
        ops.append(op)

    def _recover(self, match: re.Match[str] | None, start: int) -> None:
        """Skip to the next op of the block, over the regions of the op that failed."""
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
            elif depth == 0 and piece[0][0] == "\n" and (piece[1] or piece[2] in self.grammar.rows):
                reader.at = piece.start(1) if piece[1] else piece.start() + 1
                reader.skip()
                return
