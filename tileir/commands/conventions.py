"""The conventions of all commands: input and output, one-line errors, exit codes.

0  ok                                      4  unsupported version, feature or target
1  the answer is no                        5  a package or an outside tool is missing, or a
2  wrong use                                  tool or the GPU failed
3  not readable as Tile IR bytecode        70 our own defect, 130 interrupted
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import io
import json
import os
import re
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TextIO

from tileir.errors import (
    AssemblyError,
    BytecodeError,
    DeviceError,
    LaunchError,
    MissingPackageError,
    PackageError,
    TileIRError,
    ToolError,
    UnsupportedError,
    VerifyError,
    VersionError,
    WorkerError,
)
from tileir.messages.missing_packages import COLOUR, is_installed
from tileir.messages.texts import printable
from tileir.messages.wording import choice, did_you_mean

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

OK, NO, USAGE, UNREADABLE, UNSUPPORTED, OUTSIDE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

GROUPS = {
    "read and write": {
        "inspect": ("tileir.commands.inspect", "explain every byte of a file"),
        "dis": ("tileir.commands.disassemble", "print it as text"),
        "as": ("tileir.commands.assemble", "read text, write bytecode"),
        "verify": ("tileir.commands.verify", "say everything that is wrong with files"),
        "stats": ("tileir.stats.command", "what is in a module: ops, types, work, versions"),
        "diff": ("tileir.diff.command", "what differs between two modules, by structure"),
        "report": (
            "tileir.report.command",
            "a page for browsers: its bytes, fields and text, linked",
        ),
        "tilelib": ("tileir.commands.tilelib", "list and extract what is in a tile library"),
    },
    "change": {
        "opt": ("tileir.rewrite.opt_command", "run passes over a module"),
        "strip": ("tileir.rewrite.strip_command", "remove what kernels do not need to run"),
        "convert": ("tileir.rewrite.convert_command", "write a module in another version"),
        "extract": ("tileir.rewrite.extract_command", "write some functions of a module alone"),
    },
    "run": {
        "run": ("tileir.commands.run", "run a kernel, on the CPU, a GPU or an emulator of one"),
        "cutile": ("tileir.cutile.program", "run a program of NVIDIA's cuTile, without a GPU too"),
        "dump": ("tileir.cutile.dump_command", "write the bytecode of a cuTile program's kernels"),
    },
    "compile": {
        "compile": ("tileir.commands.compile", "lower to LLVM IR or PTX"),
        "remarks": ("tileir.commands.remarks", "what makes kernels fast or slow on a GPU, and why"),
        "advise": ("tileir.advise.command", "what would make kernels faster on a GPU, tried out"),
        "resources": ("tileir.resources.command", "registers, memory, occupancy; a baseline"),
        "package": ("tileir.tilepack.command", "compile for several GPUs into one file"),
        "cache": ("tileir.commands.cache", "what has been compiled and is kept on disk"),
        "tileiras": ("tileir.commands.tileiras", "a launcher in the place of NVIDIA's tileiras"),
    },
    "many modules": {
        "batch": ("tileir.batches.command", "one thing done with many modules, on many machines"),
    },
    "find faults": {
        "smith": ("tileir.smith.command", "make random modules that compute"),
        "mutate": ("tileir.mutation.command", "change a module at random, so that it stays valid"),
        "reduce": ("tileir.reduce.command", "make a file small while something holds of it"),
        "bisect": ("tileir.bisect.command", "the release or stage at which an answer changes"),
    },
    "other": {
        "samples": ("tileir.samples.command", "kernels and programs to try tileir on"),
        "serve": ("tileir.serve.command", "answer requests of another program"),
        "playground": ("tileir.playground.command", "write a page that runs tileir in a browser"),
        "lsp": ("tileir.lsp.command", "serve editors of Tile IR text"),
        "schema": ("tileir.reference.schema_command", "the JSON Schema of what a command prints"),
        "completion": ("tileir.reference.completion_command", "a shell's script for its Tab key"),
        "guide": ("tileir.reference.guide_command", "a page about tileir for agents"),
        "doctor": ("tileir.commands.doctor", "what this machine has and can do"),
    },
}
"""What people are after -> command -> (module, summary), as `tileir --help` lists them."""

COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}
"""Command -> (module, summary). A module is imported when its command is used."""


class UsageError(Exception):
    """The command was used wrongly; the message says how."""


CODES = {
    UnsupportedError: UNSUPPORTED,
    VersionError: UNSUPPORTED,
    DeviceError: OUTSIDE,
    ToolError: OUTSIDE,
    WorkerError: OUTSIDE,
    UsageError: USAGE,
    LaunchError: USAGE,
    MissingPackageError: OUTSIDE,
    AssemblyError: UNREADABLE,
    PackageError: UNREADABLE,
    TileIRError: NO,
}
"""Class of an error -> exit code; the first class that matches counts."""


class _Store(argparse.Action):
    """Stores what an option is given, and raises UsageError if it is given a second time.

    Else the last one would win, and what was asked before it be passed over in silence.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, Parser)
        if self.option_strings:
            if self in parser.stored:
                parser.error(f"{'/'.join(self.option_strings)} can be given once")
            parser.stored.append(self)
        setattr(namespace, self.dest, values)


_NEGATIVE = re.compile(r"-(\.?\d.*|inf(inity)?$|nan$)", re.IGNORECASE)
"""How a word begins that is a number, not an option; argparse alone does not know -1e-3, -inf."""


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UsageError, so that its errors are one line like others.

    An option that takes one value can be given once. A help that cannot be written is an error as
    well, which argparse passes over. `stored` are the options that the parsing has come by.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.stored: list[argparse.Action] = []
        self._negative_number_matcher = _NEGATIVE
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments as argparse does, from a clean slate.

        What looks like a negative number is the value of an option, where an option is called -0 as
        well: then its own check says what is wrong with it.
        """
        self.stored.clear()
        self._has_negative_number_optionals.clear()
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say of a value that is none of the choices what is meant; UsageError."""
        if action.choices is None or value in action.choices:
            return
        known = [*map(str, action.choices)]
        meant = did_you_mean(str(value), known)
        if action.option_strings:
            option = action.option_strings[-1]
            self.error(f"{option} takes {choice(known, quoted=False)}, not {value!r}{meant}")
        what = str(action.metavar or action.dest).lower()
        self.error(f"there is no {what} {value!r}{meant}; known are {', '.join(known)}")

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help to a file, standard output if it is None; OSError."""
        (file or sys.stdout).write(self.format_help())

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """End the program, when what was printed is written; OSError."""
        sys.stdout.flush()
        super().exit(status, message)


MOST_SECONDS = 1 << 22
"""Windows waits for no more milliseconds than fit in 32 bits."""


def whole_number(text: str, least: int = 0) -> int:
    """Return the number from `least` on that an option is given: the `type` of an argument."""
    digits = text.isascii() and text.isdecimal()
    if digits and len(text) > 18:  # what has fewer fits into 64 bits
        raise argparse.ArgumentTypeError("a number has at most 18 digits here")
    if not digits or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} on")
    return int(text)


def counting_number(text: str) -> int:
    """The same from 1 on."""
    return whole_number(text, 1)


def number_of_seconds(text: str) -> float:
    """Return the seconds that an option is given, for which every system can wait."""
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= MOST_SECONDS:
            return float(text)
    problem = f"{text!r} is not a number of seconds above 0, up to {MOST_SECONDS:,}"
    raise argparse.ArgumentTypeError(problem)


def number_of_mebibytes(text: str) -> int:
    """Return the MiB that an option is given, of which a system can count the bytes."""
    number = counting_number(text)
    if number > sys.maxsize >> 20:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {sys.maxsize >> 20:,} MiB")
    return number


def main_of(name: str, arguments: Sequence[str] | None = None) -> int:
    """Run one command as a program, and return the exit code."""
    return guarded(name, lambda: _run(name, arguments, f"tileir {name}"))


def _run(name: str, arguments: Sequence[str] | None, prog: str) -> int:
    command = importlib.import_module(COMMANDS[name][0])
    parser = Parser(prog=prog, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.configure(parser)
    given = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: fail(name, f"warning: {message}", OK)
            return command.run(given)
    except (BytecodeError, UnsupportedError, VerifyError) as error:
        return fail(name, *explained(error, getattr(given, "file", None)))


def guarded(name: str, action) -> int:
    """Run `action`; every error becomes one line and an exit code."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by the caller's shell
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    with _errors_may_be_lost():
        return _guarded(name, action)


def _guarded(name: str, action) -> int:
    try:
        with reader_may_leave():
            return action()
        return OK  # nobody reads what was being printed
    except KeyboardInterrupt:
        return fail(name, "interrupted", INTERRUPTED)
    except (UsageError, TileIRError, OSError) as error:
        return fail(name, *explained(_of_output() or error))
    except Exception as error:
        if _was_interrupted(error):
            return fail(name, "interrupted", INTERRUPTED)
        if os.environ.get("TILEIR_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        hint = "this is a defect of tileir; TILEIR_TRACEBACK=1 shows where"
        return fail(name, f"{what} ({hint})", DEFECT)


@contextlib.contextmanager
def _errors_may_be_lost() -> Iterator[None]:
    """Let what standard error does not take be lost: the exit code, and what is done, are the
    same when nobody reads on, or the disk is full."""
    if sys.stderr is not sys.__stderr__ or sys.stderr.isatty():  # of a program around; a terminal
        yield
        return
    raw = io.BufferedWriter(_Losing(sys.stderr.fileno(), "w", closefd=False))
    encoding, errors = sys.stderr.encoding, sys.stderr.errors
    with contextlib.redirect_stderr(io.TextIOWrapper(raw, encoding, errors, line_buffering=True)):
        yield
        sys.stderr.flush()


class _Losing(io.FileIO):
    """A file that takes all that is written to it, as far as anybody is told."""

    def write(self, data: Any, /) -> int:
        """Write bytes, or lose them."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """Print what nobody may read to its end: what comes next, and the exit code, are the same."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()


def _drop_output() -> None:
    """Write to nowhere from here on: else Python complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of_output() -> OSError | None:
    """Return what is wrong with standard output if it does not take what was printed.

    The rest goes to nowhere then: else Python would complain at exit, with a code of its own.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads it
        _drop_output()
    except OSError as error:
        _drop_output()
        return OSError(error.errno, error.strerror, "<stdout>")
    return None


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error: libraries turn it into others while they are imported."""
    while error and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def explained(
    error: UsageError | TileIRError | OSError, path: str | None = None
) -> tuple[str, int]:
    """Return the message about an error, and the exit code.

    `path` is the file that was read; the message names it if the error is about its contents.
    """
    where = f"{called(path)}: " if path is not None else ""
    if isinstance(error, BytecodeError):
        code = UNSUPPORTED if error.kind == "version" else UNREADABLE
        return f"{where}{error}", code
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}", USAGE
    if str(error).startswith(called(path) if path is not None else "\0"):
        where = ""  # as errors of a text do, which name it on each line
    if isinstance(error, UnsupportedError) and not error.diagnostics:
        where = ""  # an unknown target or version, which has nothing to do with the file
    code = next(code for kind, code in CODES.items() if isinstance(error, kind))
    return f"{where}{error}", code


def called(path: str) -> str:
    """Return the name of a file in messages."""
    return "<stdin>" if path == "-" else printable(path)


def fail(name: str, message: str, code: int) -> int:
    """Print a message on standard error, and return `code`."""
    message = "\n".join(map(printable, message.split("\n")))
    print(f"tileir {name}: {message}" if name else f"tileir: {message}", file=sys.stderr)
    return code


def fail_at(name: str, path: str, error: UsageError | TileIRError | OSError) -> int:
    """Print an error about one of several files, and return its exit code."""
    if isinstance(error, BrokenPipeError):  # nothing is wrong with the file
        raise error
    return fail(name, *explained(error, path))


def open_input(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``."""
    if path == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed")
        return sys.stdin.buffer.read()
    return Path(path).read_bytes()


@contextlib.contextmanager
def stdout_text() -> Iterator[TextIO]:
    """Open standard output for text in UTF-8, whatever the locale is; its reader may leave."""
    out: Any = sys.stdout
    if hasattr(out, "reconfigure"):
        out.reconfigure(encoding="utf-8", errors="backslashreplace")
    with reader_may_leave():
        yield sys.stdout


def json_line(tree: Mapping[str, Any]) -> str:
    """Return an object of JSON as the line that --json prints.

    All commands do so: an object on a line, whose first key is "schema"; commands that print one
    for each item (inspect, dis, as, smith, mutate) print as many lines.
    """
    return json.dumps(tree, ensure_ascii=False) + "\n"


def wants_colour(out: TextIO) -> bool:
    """Whether output is to be coloured.

    That is on a terminal with colours, if NO_COLOR is not set and the packages of the extra
    ``colour`` are installed.
    """
    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return all(map(is_installed, COLOUR))


def write_output(path: str | None, data: bytes) -> None:
    """Write a file atomically, or standard output for None and ``-``."""
    if path is None or path == "-":
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
        except BrokenPipeError:  # as where reader_may_leave, which would flush each piece
            _drop_output()
        return
    with output_file(path) as out:
        out.write(data)


@contextlib.contextmanager
def output_file(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; only when all is written does it take the place of an old one."""
    mode = _mode_of_writable(path)
    temporary: str | None = None
    try:
        if _is_special(path, mode):  # no renaming over a pipe or a device
            with open(path, "wb") as out:
                yield out
            return
        target = Path(path).resolve()  # what a link points to is replaced, not the link
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            yield out
        os.chmod(temporary, _new_file_mode() if mode is None else mode & 0o777)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def check_output(path: str | None, *inputs: str, option: str = "-o") -> None:
    """Raise, before the work, what writing the output file after it would raise.

    UsageError as `check_no_input`, and for an empty name; OSError if the file cannot be written, as
    far as that can be known while nothing is written, nor made.
    """
    check_no_input(path, *inputs, option=option)
    if path not in (None, "-"):
        _mode_of_writable(path)


def check_no_input(path: str | None, *inputs: str, option: str) -> None:
    """Raise UsageError if the file that `option` names is one of the input files."""
    for other in inputs:
        if path in (None, "-") or other == "-":
            continue
        with contextlib.suppress(OSError):
            if os.path.samefile(path, other) and stat.S_ISREG(os.stat(path).st_mode):
                raise UsageError(f"{path} is what is read; {option} names another file")


def check_output_folder(path: str | None) -> None:
    """The same for a folder that is made if there is none, with those above it."""
    if path is None:
        return
    if not path:
        raise UsageError("the name of the output folder is empty")
    folder = Path(path).absolute()
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise _error(errno.ENOTDIR, path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(errno.EACCES, path)


def _mode_of_writable(path: str) -> int | None:
    """Return the mode of a file that can be written, None for one that is not there; OSError."""
    if not path:
        raise UsageError("the name of the output file is empty")
    try:
        mode = os.stat(path).st_mode  # on every Python, an error for a circle of links
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise _error(errno.EISDIR, path)
    if mode is not None and not os.access(path, os.W_OK):
        raise _error(errno.EACCES, path)
    if not _is_special(path, mode):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise _error(errno.ENOENT, path)
        if not os.access(folder, os.W_OK | os.X_OK):  # a new file takes the place of the old one
            raise _error(errno.EACCES, path)
    return mode


def _is_special(path: str, mode: int | None) -> bool:
    """Whether a file is written as it is, and no other one can take its place."""
    is_other = mode is not None and not stat.S_ISREG(mode)
    return is_other or path.startswith(("/dev/", "/proc/"))


def _error(code: int, path: str) -> OSError:
    return OSError(code, os.strerror(code), path)


def _new_file_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
