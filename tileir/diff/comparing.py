"""Two modules compared: `compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from tileir.bytecode import Bytecode
from tileir.formats.recursion import deep_recursion
from tileir.launch.attributes import LaunchAttributes
from tileir.messages.flags import flag
from tileir.read.declarations import Declaration
from tileir.read.function import Function, Global

from . import bodies, files
from .content import EFFECTLESS, Contents
from .functions import numbered, pairs
from .matching import Matching, OpPairs
from .positions import Positions
from .rows import KINDS, Change, FunctionPair, Row

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

UNSAID = ("location", "index")
"""Fields of globals and declarations that are not compared: where they come from, and stand."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """The result of a comparison. It is true if the modules differ.

    before, after  the modules
    rows           what differs, in the order of the second module; what was deleted between
    functions      the functions in pairs, those that are equal, too
    pairs          for each of these that has rows about ops, which op is which
    """

    before: Bytecode
    after: Bytecode
    rows: Sequence[Row]
    functions: Sequence[FunctionPair]
    pairs: dict[FunctionPair, OpPairs]

    def __bool__(self) -> bool:
        return bool(self.rows)

    def counts(self) -> dict[FunctionPair | None, Counter[str]]:
        """Return how many rows of each kind a function has; None stands for the module."""
        counts: dict[FunctionPair | None, Counter[str]] = {}
        for row in self.rows:
            counts.setdefault(row.function, Counter(dict.fromkeys(KINDS, 0)))[row.kind] += 1
        return counts


def compare(
    before: Bytecode | ReadableBuffer,
    after: Bytecode | ReadableBuffer,
    *,
    locations: bool = False,
    tables: bool = False,
    any_order: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Difference:
    """Compare two modules by their structure, and return what differs.

    Functions are matched by name, or else by what is in them; ops by what they say and where their
    operands come from. Value numbers, the order of tables, the version and the producer do not
    count; nor do source locations, but with `locations`. With `tables`, the files count, too: their
    versions, producers, sections and tables. With `any_order`, ops without effects that only moved
    within their block do not count. `progress` is called with the number of functions that have
    been compared, and that of all.

    An attribute that an older version of the format leaves unsaid has its default. Which of several
    equal ops without effects a value comes from does not count.

    Raises BytecodeError for a file that cannot be read. Of files of newer versions, what is opaque
    is compared as bytes.
    """
    one, two = Bytecode.of(before), Bytecode.of(after)
    located, ignored = flag("locations", locations), flag("any_order", any_order)
    contents = Contents()
    positions = Positions(contents) if located else None
    rows: list[Row] = [*files.rows_of(one, two)] if flag("tables", tables) else []
    rows += _launch_attributes(one, two)
    found: dict[FunctionPair, OpPairs] = {}
    with deep_recursion(one.limits), deep_recursion(two.limits):
        rows += _named("global", one.globals, two.globals, contents, positions)
        rows += _named("declaration", one.declarations, two.declarations, contents, positions)
        matched = pairs(one.functions, two.functions, contents)
        for number, pair in enumerate(matched):
            if progress is not None:
                progress(number, len(matched))
            rows += _function(pair, contents, positions)
            if pair.before is None or pair.after is None:
                continue
            matching = Matching(pair.before.body, pair.after.body, contents)
            own = [*bodies.rows_of(matching, pair, contents, positions)]
            if ignored:
                own = [row for row in own if not _only_moved(row)]
            if own:
                found[pair] = matching.pairs
                rows += own
    return Difference(one, two, rows, matched, found)


def _launch_attributes(before: Bytecode, after: Bytecode) -> Iterator[Row]:
    """Yield what two texts say of launches, if it differs; bytecode has no place for it."""
    if before.text is None or after.text is None:
        return
    one, two = (_launch_terms(each.launch_attributes) for each in (before, after))
    changes = [
        Change("launch attribute", name, one.get(name), two.get(name))
        for name in dict.fromkeys([*one, *two])
        if one.get(name) != two.get(name)
    ]
    if changes:
        yield Row("changed", "file", None, None, changes)


def _launch_terms(attributes: LaunchAttributes) -> dict[str, str]:
    said = {f"{name} of the module": str(value) for name, value in attributes.module.items()}
    for entry, own in attributes.entries.items():
        said |= {f"{name} of @{entry}": str(value) for name, value in own.items()}
    return said


def _only_moved(row: Row) -> bool:
    """Whether an op without effects changed nothing but its place in its block."""
    before, after = row.before, row.after
    if row.kind != "moved" or row.changes or row.subject != "op":
        return False
    around: Any = before, after
    return around[0].spec.effects in EFFECTLESS and _same_block(*around)


def _same_block(before: Any, after: Any) -> bool:
    """Whether two ops stand in blocks that are as deep, in ops of the same names."""
    one, two = before.parent_op, after.parent_op
    while one is not None and two is not None:
        if one.name != two.name:
            return False
        one, two = one.parent_op, two.parent_op
    return one is two


def _named(
    subject: Any,
    before: Sequence[Global] | Sequence[Declaration],
    after: Sequence[Global] | Sequence[Declaration],
    contents: Contents,
    positions: Positions | None,
) -> Iterator[Row]:
    """Yield the differences of parts that are matched by their names, the n-th ones of each."""
    waiting = dict(numbered(before))
    for name, part in numbered(after):
        other = waiting.pop(name, None)
        if other is None:
            yield Row("inserted", subject, None, part)
            continue
        changes = [*_fields(other, part, contents)]
        if positions is not None and not isinstance(part, Global):
            changes += positions.changes(getattr(other, "location", None), part.location)
        if changes:
            yield Row("changed", subject, other, part, changes)
    for part in waiting.values():
        yield Row("deleted", subject, part, None)


def _fields(before: Any, after: Any, contents: Contents) -> Iterator[Change]:
    if type(before) is not type(after):
        yield Change("kind", "", type(before).__name__, type(after).__name__)
        return
    for each in fields(before):
        said = getattr(before, each.name), getattr(after, each.name)
        if each.name not in UNSAID and not _equal(said, contents):
            yield Change("field", each.name, *said)


def _equal(said: Iterable[object], contents: Contents) -> bool:
    one, two = map(contents.comparable, said)
    return one == two


def _function(pair: FunctionPair, contents: Contents, positions: Positions | None) -> Iterator[Row]:
    """Yield what differs between two functions apart from their bodies."""
    before, after = pair.before, pair.after
    if after is None:
        yield Row("deleted", "function", before, None, function=pair)
    elif before is None:
        yield Row("inserted", "function", None, after, function=pair)
    else:
        changes = [*_entries(before, after, contents)]
        if positions is not None:
            changes += positions.changes(before.location, after.location)
        if changes:
            yield Row("changed", "function", before, after, changes, pair)


def _entries(before: Function, after: Function, contents: Contents) -> Iterator[Change]:
    for what, one, two in (
        ("name", before.name, after.name),
        ("parameters", before.type.parameters, after.type.parameters),
        ("results", before.type.results, after.type.results),
        ("private", before.private, after.private),
        ("hints", before.hints, after.hints),
        ("argument attributes", _stated(before), _stated(after)),
        ("opaque end", _opaque(before), _opaque(after)),
    ):
        if not _equal((one, two), contents):
            yield Change("function", what, one, two)


def _stated(function: Function) -> tuple:
    """Return the attributes of parameters; nothing if all are empty."""
    stated = tuple(function.argument_attributes)
    return stated if any(stated) else ()


def _opaque(function: Function) -> bytes | None:
    end = getattr(function, "opaque", None)  # a function of the builder has none
    return None if end is None else bytes(end.data)
