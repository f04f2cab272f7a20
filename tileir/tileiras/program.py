"""What a launcher runs: one call of tileiras, from its command line to its exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tileir.errors import TileIRError
from tileir.formats.version import SUPPORTED

from . import remarks
from .compiler import FAILED, NO_SUCH_GPU, UNREADABLE, WRONG_USE, compiled, exit_code, worded
from .identity import version_text
from .options import Given, WrongUse, help_text, parse


def main(arguments: Sequence[str], options: Mapping[str, Any]) -> int:
    """Do what a command line asks of tileiras, with a launcher's options of `tileir.compile`."""
    try:
        given = parse(arguments)
        if given.has("--help") or not arguments:
            print(help_text())
        elif given.has("--version"):
            print(version_text(options))
        elif given.has("--list-versions"):
            print("\n".join(map(str, SUPPORTED)))
        else:
            return _compile(given, options)
    except WrongUse as problem:
        return _fail(f"error: {problem}", WRONG_USE)
    return 0


def _compile(given: Given, options: Mapping[str, Any]) -> int:
    if given.source is None:
        raise WrongUse("no file of bytecode is named")
    if not given.has("-o"):
        raise WrongUse("no output file is named (-o FILE)")
    if not given.has("--gpu-name"):
        return _fail("error: no GPU is named (--gpu-name sm_90, for example)", NO_SUCH_GPU)
    lines = given.has("--lineinfo") or given.has("--device-debug")
    try:
        bytecode = Path(given.source).read_bytes()
    except OSError as problem:
        said = f"unable to read input file '{given.source}': {problem.strerror}"
        return _fail(f"error: {said}", UNREADABLE)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
            made, cubin = compiled(bytecode, given.values["--gpu-name"], lines, options)
        Path(given.values["-o"]).write_bytes(cubin)
        _tell(given, made)
    except TileIRError as error:
        return _fail(worded(error), exit_code(error))
    except OSError as problem:
        return _fail(f"error: unable to write '{problem.filename}': {problem.strerror}", FAILED)
    return 0


def _tell(given: Given, made: Any) -> None:
    """Write the remarks that were asked for."""
    category = given.values.get("--remarks", remarks.NONE)
    told = remarks.chosen(made.remarks, category) if category != remarks.NONE else []
    if given.values.get("--remark-format") == remarks.YAML:
        file = given.values.get("--remarks-output-file", remarks.DEFAULT_FILE)
        Path(file).write_text(remarks.documents(told), "utf-8")
    elif told:
        print(remarks.lines(told), end="")


def _fail(said: str, code: int) -> int:
    print(said.encode(errors="backslashreplace").decode(), file=sys.stderr)
    return code
