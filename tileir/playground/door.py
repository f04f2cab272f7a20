"""What the page of a playground calls, inside of CPython for WebAssembly: commands, and findings.

Each command is the one that a terminal has, so the page shows what it prints.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import sys
from collections.abc import Iterator

from tileir.__main__ import main, version_text
from tileir.lsp.analysis import Analysis
from tileir.lsp.text_lines import Lines


def command(arguments: list[str], folder: str, given: bytes = b"") -> str:
    """Run a command of `tileir` in a folder, with `given` as its standard input.

    Returns JSON: code, the exit code; stdout and stderr, texts.
    """
    outs = io.BytesIO(), io.BytesIO()
    printed, told = (io.TextIOWrapper(out, "utf-8", "backslashreplace") for out in outs)
    read = io.TextIOWrapper(io.BytesIO(bytes(given)), "utf-8")
    before = os.getcwd()
    os.chdir(folder)
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(told),
            _standard_input(read),
        ):
            code = _code(list(arguments))
    finally:
        os.chdir(before)
    printed.flush()
    told.flush()
    texts = [out.getvalue().decode("utf-8", "replace") for out in outs]
    return json.dumps({"code": code, "stdout": texts[0], "stderr": texts[1]})


@contextlib.contextmanager
def _standard_input(stream: io.TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before


def _code(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as ended:  # as argparse does after --help
        return ended.code if isinstance(ended.code, int) else int(bool(ended.code))


def findings(text: str) -> str:
    """Return what is wrong with a text, as JSON: a list in the order of the text.

    Each has line and start and end on it (from 0, in the units in which JavaScript counts),
    severity, message and rule.
    """
    lines, found = Lines(text), []
    for each in Analysis(text).findings:
        (line, start), (last, end) = lines.place(each.start), lines.place(each.end)
        end = end if last == line else start + 1
        place = {"line": line, "start": start, "end": max(end, start + 1)}
        said = {"severity": each.severity, "message": each.message, "rule": each.rule}
        found.append(place | said)
    return json.dumps(sorted(found, key=lambda each: (each["line"], each["start"])))


def about() -> str:
    """Return the versions of tileir and of Python, for people."""
    return f"{version_text()}, Python {platform.python_version()}"
