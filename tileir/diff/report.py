"""A comparison in numbers, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tileir.bytecode import Bytecode
from tileir.ir import Op
from tileir.read.function import Function

from .comparing import Difference
from .listings import Entry, ListingDifference
from .printed import PrintedModule
from .rows import KINDS, Part, Row
from .wording import Wording

SCHEMA = 1
NAMED = 8
"""Most functions that `--stat` of listings names."""

KEYS = """\
--json prints an object: schema, equal, before and after {file, version, producer}, functions
[{before, after (names, null for none), ops [in both], deleted, inserted, changed, moved}] and rows
[{kind, subject (op, function, global, declaration or file), function, before, after, changes}].
before and after of a row are null or {name} and, of an op, {op, line, text, offset, location};
changes [{what, name, before, after}] are texts. Of PTX, machine code and stages: schema, equal,
language, before and after {file}, opcodes {name: [in both]}, and rows [{kind, path, before,
after}], with {line, text}.
"""

Table = list[dict[str, Any]]


def statistics(difference: Difference) -> Table:
    """Return for each function its names, numbers of ops, and how many rows of each kind it has."""
    counts = difference.counts()
    table: Table = []
    for pair in difference.functions:
        both = pair.before, pair.after
        table.append(
            {
                "before": pair.before and pair.before.name,
                "after": pair.after and pair.after.name,
                "ops": [0 if each is None else _size(each) for each in both],
                **counts.get(pair, Counter(dict.fromkeys(KINDS, 0))),
            }
        )
    return table


def stat(difference: Difference) -> Iterator[str]:
    """Yield a line for each function that differs, one for the rest of the module, and a sum."""
    if not difference:
        return
    total: Counter[str] = Counter()
    lines: list[tuple[str, str, Counter[str]]] = []
    rest = difference.counts().get(None)
    if rest:
        lines.append(("the module", "", rest))
    for pair, row in zip(difference.functions, statistics(difference), strict=True):
        own = Counter({kind: row[kind] for kind in KINDS})
        if own.total():
            lines.append((f"@{pair.name}", f"{row['ops'][0]} -> {row['ops'][1]} ops", own))
    names, sizes = (max(len(line[place]) for line in lines) for place in (0, 1))
    for name, size, own in lines:
        total += own
        yield f" {name:<{names}}  {size:<{sizes}}  {_counted(own)}".rstrip()
    if len(lines) > 1:
        yield f" {'in all':<{names}}  {'':<{sizes}}  {_counted(total)}"


def stat_of_listings(difference: ListingDifference) -> Iterator[str]:
    """Yield a line for each opcode that occurs more or less often, one for all, and one of lines.

    The last has where lines differ, as they may do with as many of each opcode as before.
    """
    if not difference:
        return
    one, two = difference.opcodes
    rows = [(name, one[name], two[name]) for name in sorted(one | two) if one[name] != two[name]]
    rows.append(("all instructions", one.total(), two.total()))
    width = max(len(name) for name, _, _ in rows)
    for name, before, after in rows:
        yield f" {name:<{width}}  {before:>6} -> {after:<6} {after - before:+d}"
    kinds: Counter[str] = Counter()
    places: dict[str, None] = {}
    for kind, entry in _differing(difference):
        kinds[kind] += 1
        at = next(each.path for each in (entry.after, entry.before) if each is not None)
        places.setdefault(at.split(" ")[0])
    names = [*filter(None, places)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    where = ", ".join(names[:NAMED]) + more
    yield f" lines: {_counted(kinds)}" + (f", in {where}" if where else "")


def as_json(difference: Difference, names: tuple[str, str]) -> dict[str, Any]:
    """Return a comparison as an object; `names` are the files'."""
    rows: Table = []
    if difference:
        texts = PrintedModule(difference.before), PrintedModule(difference.after)
        wording = Wording(*texts, whole=True)
        rows = [_row(row, texts, wording) for row in difference.rows]
    return {
        "schema": SCHEMA,
        "equal": not difference,
        "before": _file(names[0], difference.before),
        "after": _file(names[1], difference.after),
        "functions": statistics(difference),
        "rows": rows,
    }


def listings_as_json(difference: ListingDifference, names: tuple[str, str]) -> dict[str, Any]:
    """Return a comparison of listings as an object."""
    rows: Table = []
    for kind, entry in _differing(difference):
        one, two = entry.before, entry.after
        sides = [each and {"line": each.number + 1, "text": each.text} for each in (one, two)]
        path = next(each.path for each in (two, one) if each is not None)
        rows.append({"kind": kind, "path": path, "before": sides[0], "after": sides[1]})
    counts, others = difference.opcodes
    return {
        "schema": SCHEMA,
        "equal": not difference,
        "language": difference.language,
        "before": {"file": names[0]},
        "after": {"file": names[1]},
        "opcodes": {name: [counts[name], others[name]] for name in sorted(counts | others)},
        "rows": rows,
    }


def _differing(difference: ListingDifference) -> Iterator[tuple[str, Entry]]:
    """Yield the lines that differ, and the kind of each."""
    for entry in difference.entries:
        if entry.before is None:
            yield "inserted", entry
        elif entry.after is None:
            yield "deleted", entry
        elif entry.other_values:
            yield "changed", entry


def _size(function: Function) -> int:
    return sum(1 for _ in function.walk())


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])


def _file(name: str, module: Bytecode) -> dict[str, Any]:
    return {"file": name, "version": str(module.version), "producer": module.producer}


def _row(row: Row, texts: tuple[PrintedModule, PrintedModule], wording: Wording) -> dict[str, Any]:
    changes = []
    for change in row.changes:
        before, after = wording.sides(row, change)
        said = {"before": before, "after": after}
        changes.append({"what": change.what, "name": change.name, **said})
    return {
        "kind": row.kind,
        "subject": row.subject,
        "function": row.function and row.function.name,
        "before": _part(row.before, texts[0]),
        "after": _part(row.after, texts[1]),
        "changes": changes,
    }


def _part(part: Part, text: PrintedModule) -> dict[str, Any] | None:
    if part is None:
        return None
    if not isinstance(part, Op):
        return {"name": part.name}
    lines = text.lines_of(part)
    return {
        "op": part.name,
        "line": lines.start + 1 if lines else None,
        "text": text.lines[lines.start].strip() if lines else None,
        "offset": part.offset,
        "location": part.location_text or None,
    }
