"""`tileir cutile`: runs a program as python does, but with the CPU as its GPU, or our compiler."""

from __future__ import annotations

import argparse
import importlib.util
import os
import runpy
import sys
import warnings
import zipfile
from collections.abc import Callable, Collection, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NamedTuple

from tileir.command_line.argument_parser import Parser
from tileir.command_line.exit_codes import OK, UsageError, fail
from tileir.command_line.running import guarded
from tileir.commands.checks import check_words
from tileir.errors import UnsupportedError
from tileir.launch.breakpoints import BREAKS
from tileir.launch.compile_options import CHECKS

from . import ON_GPU, OPTIONS, capability, flag, install
from .children import adopt
from .options import measured

HELP = """\
Run a Python program that uses NVIDIA's cuTile (the package cuda-tile) without a GPU.
The program stays as it is: kernels run on the CPU, and so does what torch puts on "cuda".
Arrays are tensors of torch or arrays of cupy or NumPy. With --gpu, kernels run on the GPU, and
tileir compiles them instead of NVIDIA's tileiras.
"""

EXAMPLES = """\
examples:
  tileir cutile program.py --size 4096
  tileir cutile --children -m pytest tests
  tileir cutile --check memory,undefined program.py
  tileir cutile --sm sm_120 -m package.module
  tileir cutile --gpu program.py
  tileir cutile --threads 1 -c "import torch; print(torch.cuda.get_device_name())"
  pytest -p tileir.cutile.plugin --cutile-sm sm_90 tests

Processes that the program forks have the CPU as their GPU, too; others with --children only.
The exit code is the program's, or, before it starts: 2 for wrong use, 4 for a version of cuda-tile
that is not known and lacks what is changed of it, 5 for a package that is missing.

python -m tileir.cutile is the same.
"""


class Program(NamedTuple):
    """The program to run: a "script", "module" or "code", its name or text, and its arguments."""

    kind: str
    what: str
    arguments: list[str]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser; the program and its arguments are no part of it."""
    parser.usage = "%(prog)s [option] ... (FILE | -m MODULE | -c CODE) [argument] ..."
    parser.description, parser.epilog = HELP, EXAMPLES
    for name, option in OPTIONS.items():
        parser.add_argument(f"--{flag(name)}", dest=name, **option)
    parser.add_argument("--gpu", **ON_GPU)
    parser.add_argument(
        "--children", action="store_true", help="so for all Python processes that it starts"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program and return an exit code; the program's own exit and exceptions pass through."""
    ready: list[Program] = []

    def prepare() -> int:
        given, program = _parse(list(sys.argv[1:] if arguments is None else arguments))
        check_program(program)
        options = {name: getattr(given, name) for name in (*OPTIONS, "compiler")}
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: fail("cutile", f"warning: {message}", OK)
            install(**options)
        if given.children:
            adopt(options)
        ready.append(program)
        return OK

    code = guarded("cutile", prepare)
    if ready:
        sys.excepthook = without_our_frames(sys.excepthook)
        run_program(*ready)
    return code


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, Program]:
    """Split the command line into our options and, where they end, the program, as python does."""
    parser = Parser(
        prog="tileir cutile",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    configure(parser)
    ours, program = separated(arguments, [f"--{flag(name)}" for name in OPTIONS])
    given = parser.parse_args(ours)
    check_options(given)
    check_words("--check", given.check, CHECKS)
    check_words("--break", given.break_on, BREAKS)
    if program is None:
        raise UsageError(f"a program is missing (see {parser.prog} --help)")
    return given, program


def check_options(given: argparse.Namespace) -> None:
    """Raise UsageError for numbers that are none, UnsupportedError for a GPU that is not known."""
    if given.threads is not None and given.threads < 1:
        raise UsageError(f"--threads must be at least 1, not {given.threads}")
    try:
        measured(given.autotune)
    except UnsupportedError as error:
        raise UsageError(f"--{error}") from None
    capability(given.sm)


def separated(
    arguments: Sequence[str], valued: Collection[str]
) -> tuple[list[str], Program | None]:
    """Split a command line into our options and, where they end, the program, as python does.

    Those of `valued` are followed by a value.
    """
    end = 0
    while end < len(arguments) and arguments[end].startswith("-") and arguments[end] != "-":
        if arguments[end] in ("-m", "-c"):
            break
        end += 2 if arguments[end] in valued else 1
    kind = {"-m": "module", "-c": "code"}.get("".join(arguments[end : end + 1]), "script")
    rest = list(arguments[end + (kind != "script") :])
    program = Program(kind, rest[0], rest[1:]) if rest else None
    return list(arguments[:end]), program


def check_program(program: Program) -> None:
    """Raise UsageError or OSError if the program does not exist, without running any of it."""
    if program.kind == "module":
        package = program.what.partition(".")[0]
        here = [] if sys.flags.safe_path else [os.getcwd()]
        if not (importlib.util.find_spec(package) or PathFinder.find_spec(package, here)):
            raise UsageError(f"there is no module named {package!r}")
    elif program.kind == "script" and program.what != "-" and not os.path.isdir(program.what):
        open(program.what, "rb").close()


def run_program(program: Program) -> None:
    """Run a program as module __main__, with arguments and search path as python sets them."""
    kind, what, rest = program
    sys.argv = ["-c" if kind == "code" else what, *rest]
    if not sys.flags.safe_path:  # in place of the folder of the command `tileir`
        sys.path[0] = os.getcwd() if kind == "module" else ""
    if kind == "module":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    elif kind == "code":
        _execute(what, "<string>")
    elif what == "-":
        _execute(sys.stdin.read(), "<stdin>", __file__="<stdin>")
    elif os.path.isdir(what) or zipfile.is_zipfile(what) or what.endswith(".pyc"):
        del sys.path[: not sys.flags.safe_path]
        runpy.run_path(what, run_name="__main__")
    else:
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.realpath(what))
        path = os.path.abspath(what)
        _execute(Path(path).read_bytes(), path, __file__=path)


def _execute(source: str | bytes, name: str, **more: str) -> None:
    """Run source text; the module stays in sys.modules, as with python and unlike runpy."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    module.__dict__.update(more)
    exec(compile(source, name, "exec"), module.__dict__)


def without_our_frames(show: Callable[..., Any]) -> Callable[..., Any]:
    """Return an excepthook that leaves out of the traceback what is between Python and a program.

    That are the frames up to those of this file, which runs it, and the ones of runpy after them.
    """

    def has_ours(traceback: TracebackType | None) -> bool:
        while traceback is not None and traceback.tb_frame.f_code.co_filename != __file__:
            traceback = traceback.tb_next
        return traceback is not None

    def hook(kind: type, error: BaseException, traceback: TracebackType | None) -> None:
        while traceback is not None and has_ours(traceback):
            traceback = traceback.tb_next
        while traceback is not None and traceback.tb_frame.f_globals.get("__name__") == "runpy":
            traceback = traceback.tb_next
        show(kind, error.with_traceback(traceback), traceback)

    return hook
