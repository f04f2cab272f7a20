"""Putting a fault into a program that runs: its functions get the code of the changed file."""

from __future__ import annotations

import gc
import types
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

Functions = dict[str, list[types.FunctionType]]


def live_functions(root: Path) -> Functions:
    """All functions there are that files below `root` define, by the path of the file."""
    found: Functions = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType) and each.__code__.co_filename.startswith(str(root)):
            found[each.__code__.co_filename].append(each)
    return found


def change(functions: Functions, path: str, before: str, after: str) -> int:
    """Give functions of the file at `path` the code they would have if it said `after`.

    Functions that are made later, by one of those, have it too. Raises ValueError where that is not
    possible: a function uses other variables of the function around it than before, or none of a
    file that has been imported is changed. One that has not will be imported with the fault.
    """
    new = dict(
        _changed(
            compile(before, path, "exec", dont_inherit=True),
            compile(after, path, "exec", dont_inherit=True),
        )
    )
    count = 0
    for function in functions.get(path, ()):
        if function.__code__ in new:
            function.__code__ = new[function.__code__]
            count += 1
    if functions.get(path) and not count:
        raise ValueError("no function of it changes")
    return count


def _changed(
    before: types.CodeType, after: types.CodeType
) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Pairs of code that are not the same, inner ones too."""
    if before == after:
        return
    yield before, after
    inner: dict[tuple[str, int], list[types.CodeType]] = defaultdict(list)
    for code in after.co_consts:
        if isinstance(code, types.CodeType):
            inner[code.co_qualname, code.co_firstlineno].append(code)
    for code in before.co_consts:
        if isinstance(code, types.CodeType):
            same = inner[code.co_qualname, code.co_firstlineno]
            if same:
                yield from _changed(code, same.pop(0))
