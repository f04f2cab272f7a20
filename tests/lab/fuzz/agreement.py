"""Property: the specialised decoder and the reference say the same about every input.

First from outside: verdict, error, warnings, the decoded module. Then at the seam, section by
section: records, where reading stopped, warnings, and the spans of a trace, also of files that are
refused later on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.debug_lists import list_length
from tileir import Bytecode, BytecodeError
from tileir.formats import codec
from tileir.formats.container import version_of
from tileir.formats.cursor import Slice, Span
from tileir.formats.sections import SECTIONS
from tileir.formats.version import Version

from .finding import Finding, Outcome
from .sameness import difference, wide_numbers


def check(data: bytes) -> Outcome:
    """Compare what both make of the bytes."""
    fast, fast_error = _attempt(lambda: Bytecode.parse(data))
    slow, slow_error = _attempt(lambda: Bytecode.parse(data, reference=True))
    _same("parse: error", fast_error, slow_error)
    if fast is not None:
        _, fast_error = _attempt(fast.touch)
        _, slow_error = _attempt(slow.touch)
        _same("touch: error", fast_error, slow_error)
        _same("touch: warnings", fast.warnings, slow.warnings)
    if fast is not None and fast_error is None:
        mine = list(decoded(fast))
        for (name, one), (_, other) in zip(mine, decoded(slow), strict=True):
            _same(f"IR: {name}", one, other)
        where = wide_numbers([value for _, value in mine])
        if where:
            raise Finding("IR: a number remembers its width", where)
    _compare_sections(data)
    return Outcome("accepted" if fast_error is None else fast_error.kind)


def decoded(bytecode: Bytecode) -> Iterator[tuple[str, object]]:
    """Everything that a file means, part by part."""
    yield "header", [bytecode.version, bytecode.tag, bytecode.producer]
    yield "sections", bytecode.sections
    yield "strings", list(bytecode.strings)
    yield "types", [bytecode.types.peek(index) for index in range(len(bytecode.types))]
    yield "constants", bytecode.constants
    yield "globals", bytecode.globals
    for function in bytecode.functions:
        yield "function", [function.name, function.type, function.private, function.index]
        yield "hints", [function.hints, function.argument_attributes]
        yield "location", [function.location, list_length(function)]
        yield "body", function.body


def _compare_sections(data: bytes) -> None:
    view = memoryview(data)
    warned: tuple[list, list] = ([], [])
    try:
        file = codec.parse_file(view, warnings=warned[0])
    except BytecodeError:
        return
    version: Version = version_of(file["header"])
    payloads = {section["name"]: section["payload"] for section in file["sections"]}
    tags: list[int | None] = []
    for name in (section.name for section in SECTIONS if section.name in payloads):
        record = _compare_section(view, name, payloads[name], version, tags)
        if name == "Type" and record is not None:
            tags = [entry.get("tag") for entry in record["entries"]]
        if name == "Func" and record is not None:
            for function in record:
                _compare_body(view, function["body"], version, tags)


def _compare_section(
    view: memoryview, name: str, where: Slice, version: Version, tags: list[int | None]
):
    """Compare one section in each way of reading it; returns the record of the usual one."""
    usual = None
    for eager, traced in ((False, False), (True, True)):
        results = []
        for reference in (False, True):
            warnings, trace = [], []
            found, error = _attempt(
                lambda warnings=warnings, trace=trace, reference=reference, **way: (
                    codec.parse_section(
                        view,
                        name,
                        where,
                        version,
                        tags,
                        warnings=warnings,
                        trace=trace if way["traced"] else None,
                        eager=way["eager"],
                        reference=reference,
                    )
                ),
                eager=eager,
                traced=traced,
            )
            results.append((found, error, warnings, trace))
        way = f"{name} section{', traced' if traced else ''}"
        for part, one, other in zip(("record", "error", "warnings"), *results, strict=False):
            _same(f"{way}: {part}", one, other)
        _same_spans(f"{way}: spans", results[0][3], results[1][3])
        if not eager and results[0][0] is not None:
            usual = results[0][0][0]
    return usual


def _compare_body(view: memoryview, where: Slice, version: Version, tags: list[int | None]) -> None:
    results = []
    for reference in (False, True):
        warnings: list = []
        found, error = _attempt(
            lambda warnings=warnings, reference=reference: codec.parse_body(
                view, where, version, tags, warnings=warnings, reference=reference
            )
        )
        results.append((found, error, warnings))
    for part, one, other in zip(("record", "error", "warnings"), *results, strict=True):
        _same(f"body: {part}", one, other)


def _same_spans(what: str, one: list[Span], other: list[Span]) -> None:
    try:
        if one == other:
            return
    except RecursionError:  # paths are linked, and compared by recursion
        pass
    names: dict[tuple, int] = {}
    _same(what, *(_numbered(spans, names) for spans in (one, other)))


def _numbered(spans: list[Span], names: dict[tuple, int]) -> list[tuple]:
    """The spans with a number for each path: written out, paths are as long as nesting is deep."""
    known: dict[int, int] = {}
    shown = []
    for span in spans:
        above, path = [], span.place
        while isinstance(path, tuple) and id(path) not in known:
            above.append(path)
            path = path[0]
        number = (
            known[id(path)] if isinstance(path, tuple) else names.setdefault((path,), len(names))
        )
        for path in reversed(above):
            number = known[id(path)] = names.setdefault((number, path[1]), len(names))
        shown.append((*span[:3], number, span.kind, span.value, id(span.node)))
    return shown


def _attempt(action: Callable, **given) -> tuple[object, BytecodeError | None]:
    """What the action gives, or the error that it raises."""
    try:
        return action(**given), None
    except BytecodeError as error:
        return None, error


def _same(what: str, one: object, other: object) -> None:
    wrong = difference(one, other)
    if wrong:
        raise Finding(what, wrong)
