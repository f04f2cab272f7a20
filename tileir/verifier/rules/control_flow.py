"""Rules about regions: their blocks and terminators, and the values that terminators pass.

Most of them depend on the regions around an op, which a `Frame` describes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import (
    NO_MEMORY_EFFECT,
    PURE,
    RECURSIVE,
    TERMINATES,
    Elements,
    Inference,
    Region,
    Row,
)
from tileir.ir import Block, Op
from tileir.ir.dialect import TILE_IR, Dialect
from tileir.ir.slot_types import all_slots, infer
from tileir.types import Tile, Type, ValueType
from tileir.verifier.catalogue import declare
from tileir.verifier.constraints import Problem
from tileir.verifier.wording import listed, quoted

REGION = declare(
    "region",
    "A region has one block; the else region of an if may have none, unless the if has results. "
    "Its block takes what the op gives it: nothing in an if, the induction variable and "
    "the carried "
    "values in a for, the carried values in a loop, two scalars for each operand in a reduce or "
    "scan.",
)
ENDING = declare(
    "terminator",
    "A block ends with exactly one terminator: return in a kernel, continue in a for, continue or "
    "break or return in a loop, yield in reduce and scan, any of yield, break, continue and return "
    "in an if.",
)
NESTING = declare(
    "nesting",
    "break leaves a loop, continue the next loop or for, and between them there are only ifs. A "
    "return may stand in ifs and loops, but not in a for, reduce or scan.",
)
HANDED_OVER = declare(
    "handed-over",
    "What a terminator hands over has the types that are expected there: a yield the "
    "results of its "
    "if, or the element types of a reduction; a break the results of its loop; a continue the "
    "carried values; a return nothing.",
)
EFFECT_FREE = declare(
    "effect-free",
    "The region of a reduce or scan is run in any order, any number of times: nothing in it may "
    "touch memory or be visible outside, not even assume, for and loop. if, reduce and scan may "
    "stand there.",
    "move it out of the region",
)

QUIET = (PURE, NO_MEMORY_EFFECT, TERMINATES)
BLOCK = "invalid block structure: block is expected to have a terminator operation"
BRANCHES = ("then", "else")


def effect_free(op: Op) -> bool:
    """Whether the region of a reduce or scan may contain an op; the op's regions do not count.

    NVIDIA never counts loops as free of effects, because they may not terminate.
    """
    effects = op.spec.effects
    return effects in QUIET or (effects == RECURSIVE and not any(map(_repeats, op.spec.regions)))


def _repeats(region: Region) -> bool:
    """Whether a region is the iteration of a loop."""
    return any(name == "continue" for name, _ in region.gives)


def combines(row: Row) -> bool:
    """Whether an op's region combines two elements to one, as in a reduce or scan."""
    return any(isinstance(rule, Elements) for region in row.regions for rule in region.takes)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A region: its op (None for a kernel), its index in the op, and the ops around it.

    `combining` is the innermost reduce or scan around, "" outside. `loop` is the innermost for or
    loop with only ifs between. `return_limit` is the mnemonic of an op around that a return must
    not leave, "" if there is none. The ops are those of `dialect`.
    """

    op: Op | None
    index: int = 0
    combining: str = ""
    loop: Op | None = None
    return_limit: str = ""
    dialect: Dialect = TILE_IR

    @property
    def name(self) -> str:
        """The mnemonic of the op whose region it is."""
        return "entry" if self.op is None else self.op.spec.mnemonic

    @property
    def terminators(self) -> tuple[str, ...]:
        """The terminators that the region may end with."""
        row = BY_NAME["entry"] if self.op is None else self.op.spec
        return row.regions[self.index].terminators

    def inside(self, op: Op, index: int) -> Frame:
        """Return the frame of a region of an op that is in this region."""
        name = op.spec.mnemonic
        combining = name if combines(op.spec) else self.combining
        repeated = _repeats(op.spec.regions[index])
        loop = op if repeated else self.loop if name == "if" else None
        returns = "return" in op.spec.regions[index].terminators
        return_limit = self.return_limit if returns else name
        return Frame(op, index, combining, loop, return_limit, self.dialect)


# Regions ----------------------------------------------------------------------------------------


def region_problem(op: Op) -> Problem | None:
    """Return what is wrong with the blocks of an op's regions and their arguments."""
    for index, (row, region) in enumerate(zip(op.spec.regions, op.regions, strict=True)):
        count = len(region.blocks)
        if not count and row.may_be_empty:
            if op.results:
                return REGION, "has non-empty return type, must define else branch", ""
            continue
        if count > 1:
            return REGION, f"expects region #{index} to have 0 or 1 blocks", ""
        if count != 1:
            text = (
                f"region #{index} ('{row.name}') failed to verify constraint: region with 1 blocks"
            )
            return REGION, text, f"{row.name} has {count}"
        arguments = [value.type for value in region.block.arguments]
        text = _wrong_arguments(op, index, arguments)
        if text:
            return REGION, text, ""
    return None


def _wrong_arguments(op: Op, index: int, types: list[Type]) -> str | None:
    match op.name:
        case "if":
            return f"region #{index} should have no arguments" if types else None
        case "for":
            if not types:
                return "expected at least one block argument for induction variable"
            due = op.operands["lowerBound"].type
            if types[0] != due:
                return (
                    "expected induction variable to be same type as bounds and step: "
                    f"{quoted(types[0])} vs {quoted(due)}"
                )
            return _wrong_carried(op, types[1:])
        case "loop":
            return _wrong_carried(op, types)
        case "reduce" | "scan":
            return _wrong_pairs(op, types)
    due = _following(op, op.spec.regions[index].takes)
    if due and due != types:
        return f"expected block arguments of types {listed(due)}, got {listed(types)}"
    return None


def _following(op: Op, rules: Iterable[Inference | None]) -> list[ValueType]:
    """Return the types that follow from an op's row; none if it does not say all."""
    due: list[ValueType] = []
    for rule in rules:
        following = infer(op, rule, all_slots(op)) if rule else None
        if following is None:
            return []
        due += following
    return due


def _wrong_carried(op: Op, types: list[Type]) -> str | None:
    inits = [value.type for value in op.operands["initValues"]]
    if len(inits) != len(types):
        return (
            "mismatch in number of region iterator values and loop iterator inits: "
            f"{len(types)} vs {len(inits)}"
        )
    for at, (init, argument) in enumerate(zip(inits, types, strict=True)):
        if init != argument:
            return (
                f"init value {at} and region iter_value {at} have different type: "
                f"{quoted(init)} != {quoted(argument)}"
            )
    return None


def _wrong_pairs(op: Op, types: list[ValueType]) -> str | None:
    operands = [value.type for value in op.operands["operands"]]
    if len(types) != 2 * len(operands):
        return f"expect {2 * len(operands)} block arguments but got: {len(types)}"
    for at, type in enumerate(types):
        if not isinstance(type, Tile) or type.rank:
            return f"expect 0-rank tile type at index: {at} but got: {quoted(type)}"
    for at, operand in enumerate(operands):
        one, two = types[2 * at].element, types[2 * at + 1].element
        if one != two:
            return (
                f"expect same element type for block argument at index: {2 * at} and {2 * at + 1} "
                f"but got: {quoted(one)} and {quoted(two)}"
            )
        if one != operand.element:
            return (
                f"expect same type for operand at index: {at} and block argument at index: "
                f"{2 * at} but got: {quoted(operand.element)} and {quoted(one)}"
            )
    return None


def ending_problem(block: Block, frame: Frame) -> Problem | None:
    """Return the problem of a block that does not end with a terminator."""
    if block.ops and block.ops[-1].spec.terminator:
        return None
    ends = " or ".join(frame.terminators)
    if not block.ops:
        text = "expects a non-empty block"
        if frame.op is not None:
            text = f"{BLOCK}, but it is empty"
        return ENDING, text, f"end it with {ends}"
    if frame.op is None:
        return ENDING, "block with no terminator", f"end it with {ends}"
    text = f"{BLOCK}, but the last operation 'cuda_tile.{block.ops[-1].name}' is not a terminator."
    return ENDING, text, f"end it with {ends}"


# Terminators and effects ------------------------------------------------------------------------


def placement_problem(op: Op, frame: Frame, last: bool, function: str) -> Problem | None:
    """Return why an op is not allowed there, or what is wrong with a terminator's operands."""
    if op.spec.terminator:
        return _misplaced(op, frame, last) or _mistyped(op, frame, function)
    if frame.combining and not effect_free(op):
        text = (
            f"only memory-effect-free operations are allowed inside 'cuda_tile.{frame.combining}'"
        )
        return EFFECT_FREE, text, EFFECT_FREE.hint
    return None


def _misplaced(op: Op, frame: Frame, last: bool) -> Problem | None:
    if not last:
        return ENDING, "must be the last operation in the parent block", ""
    if op.name not in frame.terminators:
        names = [f"cuda_tile.{name}" for name in _parents(op.name, frame.dialect)]
        if op.name == "return":
            names.insert(1, "cuda_tile.preview$func")
        text = f"expects parent op to be one of '{', '.join(names)}'"
        return ENDING, text, f"it stands in {frame.name}"
    if op.name == "return":
        if not frame.return_limit:
            return None
        text = "must be used within a cuda_tile.entry, cuda_tile.if, or cuda_tile.loop operation"
        return NESTING, text, f"there is a {frame.return_limit} around it"
    if op.name in ("break", "continue") and _target(op, frame) is None:
        chain = "'cuda_tile.loop', 'cuda_tile.if'"
        chain = f"'cuda_tile.for', {chain}" if op.name == "continue" else chain
        text = f"can only be nested within a ancestor chain of {chain} operations"
        return NESTING, text, ""
    return None


def _parents(terminator: str, dialect: Dialect) -> list[str]:
    """Return the ops whose regions a terminator may end."""
    rows = dialect.rows if "entry" in dialect.rows else {"entry": BY_NAME["entry"], **dialect.rows}
    return [
        name
        for name, row in rows.items()
        if any(terminator in region.terminators for region in row.regions)
    ]


def _target(op: Op, frame: Frame) -> Op | None:
    """Return the loop that a break or continue leaves or continues; None if there is none."""
    if frame.loop is None or (op.name == "break" and frame.loop.name != "loop"):
        return None
    return frame.loop


def receiver(op: Op, frame: Frame) -> Op | None:
    """Return the op that gets a terminator's operands; None for a return, and for other ops."""
    if not op.spec.terminator or op.name == "return":
        return None
    return frame.op if op.name == "yield" else _target(op, frame)


def _mistyped(op: Op, frame: Frame, function: str) -> Problem | None:
    types = [value.type for value in op.operands["operands"]]
    loop, around = _target(op, frame), frame.op
    match op.name:
        case "return":
            if types:
                text = f"has {len(types)} operands, but enclosing function (@{function}) returns 0"
                return HANDED_OVER, text, ""
        case "break" if loop is not None:
            due = [value.type for value in loop.results]
            if due != types:
                text = (
                    "operand types must correspond to the parent loop result types: "
                    f"({listed(types)}) vs ({listed(due)})"
                )
                return HANDED_OVER, text, ""
        case "continue" if loop is not None and loop.name in ("for", "loop"):
            return _continued(loop, types)
        case "yield" if around is not None and around.name == "if":
            return _branch(around, BRANCHES[frame.index], types)
        case "yield" if around is not None and around.name in ("reduce", "scan"):
            return _combined(around, types)
        case "yield" if around is not None:
            due = _following(around, [dict(around.spec.regions[frame.index].gives).get("yield")])
            if due and due != types:
                text = f"expected the operands to be {listed(due)}, got {listed(types)}"
                return HANDED_OVER, text, ""
    return None


def _continued(loop: Op, types: list[Type]) -> Problem | None:
    due = [value.type for value in loop.operands["initValues"]]
    if due == types:
        return None
    what = "return types" if loop.name == "for" else "iter_values"
    text = (
        f"`{loop.name}` is missing a valid terminator. `continue` op should have operand "
        "types that "
        f"match the parent loop {what}: ({listed(due)}), but found: ({listed(types)})"
    )
    return HANDED_OVER, text, ""


def _branch(op: Op, branch: str, types: list[Type]) -> Problem | None:
    due = [value.type for value in op.results]
    if due == types:
        return None
    if not due:
        text = f"does not return a value, but {branch} branch yields {listed(types)}"
    elif not types:
        text = f"has return type of {listed(due)} but {branch} branch does not yield anything"
    else:
        text = (
            f"type does not match yield type, {branch} branch yields {listed(types)} but op result "
            f"type is {listed(due)}"
        )
    return HANDED_OVER, text, ""


def _combined(op: Op, types: list[Type]) -> Problem | None:
    operands = op.operands["operands"]
    if len(types) != len(operands):
        text = (
            f"expect number of terminators operands ({len(types)}) to match number of operands "
            f"({len(operands)})"
        )
        return HANDED_OVER, text, ""
    for at, (operand, given) in enumerate(zip(operands, types, strict=True)):
        due = Tile(operand.type.element) if isinstance(operand.type, Tile) else None
        if due != given:
            spelled = [quoted(getattr(type, "element", type)) for type in (due, given)]
            if spelled[0] == spelled[1]:
                spelled = [quoted(due), quoted(given)]
            text = (
                f"expect same type for operand at index: {at} and terminator argument at index: "
                f"{at} but got: {spelled[0]} and {spelled[1]}"
            )
            return HANDED_OVER, text, ""
    return None
