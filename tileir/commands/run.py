"""`tileir run`: one kernel on the CPU, a GPU or an emulator of one, with arrays from .npy files."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import tileir
from tileir.bytecode import Function
from tileir.command_line.exit_codes import OK, UsageError, called, explained, fail
from tileir.command_line.files import check_output, open_input, write_output
from tileir.errors import LaunchError, TileIRError, UnsupportedError
from tileir.gpus import HOST, TARGETS
from tileir.launch.compile_options import Check
from tileir.launch.described import DescribedLaunch, read_description
from tileir.messages.missing_packages import CODEGEN, needing
from tileir.messages.texts import display
from tileir.messages.wording import did_you_mean
from tileir.types import Pointer

from . import checks, results
from .argument_words import add_launch, entry_given, values_given
from .launch_on import GPU, aligned, gpu_here, on_emulator, on_gpu, on_host, stopping
from .launch_options import add_options, flag, grid_given, named_as_written, options_given
from .modules import add_assume_version, check_all_read, open_module, version_given

if TYPE_CHECKING:
    import numpy as np

    from tileir.codegen.api import Compilation


USUAL_GRID = "1"
"""The grid of a launch for which none is given."""

EXAMPLES = """\
arguments of the kernel, one for each parameter of the entry, in order:
  a pointer   the path of a .npy file, or a new array: zeros:SHAPE:DTYPE, random:SHAPE:DTYPE[:SEED]
  a scalar    a number; its type is the parameter's
  `tileir run FILE --list` shows the entries, their parameters, and which of them belong together.

With --array, arrays bring their extents and strides along, and are compared with what the kernel
assumes of them: then there is one argument for each array, --array, --zeros or --random, and one
--arg for each other scalar, in order. Where --list tells nothing of a pointer but that it is one,
and the kernel comes from cuTile, --convention cutile says that extents and strides lie behind it.

DTYPE is a name of Tile IR or NumPy: f32 or float32, bf16, f8E4M3FN, i8, i1 ... Of f4E2M1FN,
two share a byte: SHAPE counts elements, and the array is of uint8. Random floats are standard
normal, random integers any bits; without SEED it is 0. A .npy file of bfloat16 or 8-bit floats gets
the parameter's type.

The kernel gets addresses, as on a GPU: extents and strides are what its scalar arguments say, and
an extent larger than the array makes it write outside. On the CPU that ends the run with a message,
but with --no-check it ends the process (exit code 139) or gives wrong results.

--json is one object with "schema", "entry", "grid", "arguments" (each with "number", "type", and
"value" or "dtype" and "shape"; "values" with --print), "time", with --count "counts" and with
--launch "checksum"; what is not finite is a string, and what the kernel prints goes to standard
error, but what a GPU prints to standard output, where the driver writes it. Of what goes wrong, it
is an object with "schema", "file" and "error": "message" and, if the kernel did it, "op", "entry",
"block", "indices" (of elements) and "location"; of --emulate, "kind", "line" (of the PTX), "block",
"threads" and "address".

--count on the CPU prints the bytes that elements read and written take, for each array: all of them
and how many different ones, so without those that a mask or the edge of a tensor leaves out; then
floating-point operations of whole tiles (two for a multiply-add, 2*M*N*K for a product), trips of
loops, elements of atomics, and the blocks with the least and the most. With --emulate it prints
what warps execute, and for each access of the PTX the sectors of 32 bytes that it takes in global
memory or its wavefronts in shared memory, with the least there could be. Tables have the 8
instructions that take most, and --json all. It takes no --time.

The keys of "counts" on the CPU: entry, grid, arrays (each with parameter, type, size, read and
written, which are bytes and distinct, touched, atomics, atomic_addresses), other, accesses, flops,
loops, bytes_per_block, flops_per_block, atomics_per_block, bytes_read, bytes_written,
distinct_bytes, total_flops, intensity and intensity_at_best (FLOPs a byte, and a distinct byte).
With --emulate: entry, grid, classes, product_operations, accesses, barriers, copies, products,
bank_conflicts, excess_sectors.

--emulate needs no GPU: it compiles for the one that is named, and runs the PTX on the CPU, slowly,
in search of mistakes: races, accesses outside of the arrays or not aligned, what was never written,
threads that wait for ever. What is right is right under every --schedule: lock-step, ascending,
descending, later-blocks, and random-N and late-N with a number.

examples:
  tileir run k.tileirbc --entry scale --grid 4 --arg x.npy --arg 1000 --arg 2.5 --save 0=y.npy
  tileir run k.tileirbc --grid 2,3 --arg zeros:64x48:f32 --arg 64 --arg 48 --print 0
  tileir run k.tileirbc --grid 3 --array x.npy --array zeros:2500:f32 --arg 2.5 --save 3=y.npy
  tileir run k.tileirbc --grid 512 --random 4096x4096:f16:7 --zeros 4096:f16 --time 10
  tileir run k.tileirbc --target gpu --grid 4 --arg x.npy --arg 1000 --arg 2.5
  tileir run k.tileirbc --target gpu --num-warps 8 --grid 4 --arg x.npy --time 10
  tileir run k.tileirbc --arg x.npy --arg 1000 --check memory,undefined --trace %reduce
  tileir run k.tileirbc --grid 4 --arg x.npy --arg 1000 --arg 2.5 --count
  tileir run k.tileirbc --launch k.json    what `tileir smith -o k.tileirbc` made
  tileir run k.tileirbc --emulate sm_90 --grid 4 --arg x.npy --arg 1000 --schedule random-7

exit status: 0, 1 the kernel ran into an assertion of its own, or into what --check or --emulate
looks for, or the file is not valid, 2 wrong use, no such file, or something given does not fit the
kernel, 3 the file is not readable, 4 a version or target is not supported, 5 a package or a GPU is
missing"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Run a kernel of a Tile IR bytecode or text file on this machine."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", help="bytecode or text, or - for standard input")
    add_launch(parser, USUAL_GRID)
    add("--launch", metavar="FILE", help="entry, grid and arguments as `tileir smith` writes them")
    add(
        "--save",
        metavar="N=FILE",
        action="append",
        default=[],
        help="write the array of parameter N, counted from 0, to a .npy file afterwards",
    )
    add(
        "--print",
        metavar="N",
        action="append",
        default=[],
        dest="shown",
        help="print the array of parameter N afterwards, or of all",
    )
    add(
        "--target",
        metavar="WHERE",
        default=HOST,
        help="host, the CPU (default); gpu, this machine's; or the name of a GPU to compile for",
    )
    add(
        "--emulate",
        metavar="GPU",
        help="compile for that GPU, such as sm_90, and run on an emulator of it, which looks for "
        "races and other mistakes",
    )
    add("--schedule", metavar="NAME", help="--emulate: the order in which threads run")
    add(
        "--no-races",
        action="store_const",
        const=False,
        dest="races",
        help="--emulate: do not look for accesses that nothing orders, which is faster",
    )
    add(
        "--count",
        action="store_true",
        help="count what the kernel reads, writes and computes; with --emulate what its warps "
        "execute, sectors of global memory, and bank conflicts",
    )
    add("--time", metavar="N", type=int, help="run N times on the same input; print the best time")
    add("--threads", metavar="N", type=int, help="threads of the CPU (default: all cores)")
    checks.add_options(parser)
    add(
        "--trace",
        metavar="NAME",
        action="append",
        default=[],
        help="print a variable of the source, or a value by its name in `tileir dis`, each time it"
        " has been computed",
    )
    add("--no-cache", action="store_true", help="neither read nor write what is kept on disk")
    add_options(parser)
    add("--json", action="store_true", help="print what came out as JSON")
    add("--list", action="store_true", help="list entries and parameters, run none")
    add_assume_version(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if not arguments.json:
        with _running():
            return _run(arguments)
    try:
        with _running():
            return _run(arguments)
    except (UsageError, TileIRError, OSError) as error:
        message, code = explained(error)
        print(json.dumps(results.failure(called(arguments.file), error, message)))
        return code


def _running() -> contextlib.AbstractContextManager[None]:
    return needing(CODEGEN, "running a kernel")


def _run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code; all arguments are checked before the launch."""
    options = options_given(arguments)
    emulation = _emulation(arguments)
    if arguments.target == HOST:
        for name in options:
            raise UsageError(f"{flag(name)} is for GPUs, not for --target host")
    else:
        for option, given in (
            ("--threads", arguments.threads is not None),
            ("--check", arguments.check),
            ("--trace", arguments.trace),
        ):
            if given:
                raise UsageError(f"{option} is for --target host")
    described = _described(arguments)
    bytecode = open_module(arguments.file, version_given(arguments.assume_version))
    if arguments.list:
        if not bytecode.functions:
            check_all_read(bytecode)
        listed = bytecode.functions
        if arguments.entry is not None:
            listed = [entry_given(bytecode, arguments.entry)]
        print("\n".join(results.listing(listed, arguments.json)))
        return 0
    function = entry_given(bytecode, arguments.entry if described is None else described.entry)
    asked = USUAL_GRID if arguments.grid is None else arguments.grid
    grid = grid_given(asked) if described is None else described.grid
    if arguments.time is not None and arguments.time < 1:
        raise UsageError(f"--time takes how often to run, from 1, not {arguments.time}")
    values = values_given(function, arguments) if described is None else described.values()
    saves = [_save(text, values) for text in arguments.save]
    for _, path in saves:
        check_output(path, arguments.file, option="--save")
    printed = [number for text in arguments.shown for number in _printed(text, values)]
    breaks = checks.breaks_of(arguments, arguments.target == HOST)
    first, always = checks.checks_of(arguments, arguments.target == HOST)
    counted: list[Any] = []
    on_counts = counted.append if _counts(arguments, emulation is not None) else None

    def launch_of(checked: Sequence[Check]) -> partial[float]:
        kernels = _compiled(bytecode, function.name, arguments, checked, options)
        if emulation is not None:
            kernel = tileir.emulator.load(kernels)[function.name]
            return partial(on_emulator, kernel, grid, on_counts=on_counts, **emulation)
        on_cpu = on_host(arguments.threads, on_counts)
        launcher = on_cpu if arguments.target == HOST else on_gpu
        return partial(launcher, kernels[function.name], grid)

    launch = launch_of(always)
    if breaks:
        launch = stopping(launch, breaks, bytecode, always)
    with contextlib.redirect_stdout(sys.stderr) if arguments.json else contextlib.nullcontext():
        if first:
            _on_copies(launch_of(first), values)
        with _crashes(arguments.target == HOST, function):
            seconds = _repeat(launch, values, arguments.time or 1)
    for number, path in saves:
        write_output(path, _npy(values[number]))
    timing = results.timing(seconds, values) if arguments.time else None
    checksum = None if described is None else f"{described.checksum(values):08x}"
    if arguments.json:
        made = results.as_json(function, grid, values, printed, timing, *counted)
        print(json.dumps(made if checksum is None else {**made, "checksum": checksum}))
        return 0
    if checksum is not None:
        print(f"checksum {checksum}")
    for number in printed:
        type = cast("Pointer", function.type.parameters[number].element)  # it is an array
        print(results.heading(number, values[number], type))
        print(results.numbers_of(values[number], type))
    for counts in counted:
        print(counts)
    if timing:
        print(results.timing_line(timing))
    shown = bool(saves or printed or counted or timing or checksum or arguments.trace)
    by_default = described is None and arguments.grid is None
    if said := results.remark(function, grid, by_default, shown):
        fail("run", said, OK)
    return 0


def _described(arguments: argparse.Namespace) -> DescribedLaunch | None:
    """Return the launch of --launch, None without it."""
    if arguments.launch is None:
        return None
    if arguments.values or arguments.entry or arguments.grid is not None or arguments.convention:
        raise UsageError("--launch says entry, grid and arguments; give none of them beside it")
    if "-" == arguments.launch == arguments.file:
        raise UsageError("standard input is the module or the launch, not both")
    try:
        return read_description(open_input(arguments.launch))
    except LaunchError as error:
        raise UsageError(f"--launch {called(arguments.launch)}: {error}") from None


def _emulation(arguments: argparse.Namespace) -> dict[str, object] | None:
    """Return options of a launch on the emulator, or None; sets the emulated GPU as target."""
    given = {
        name: value
        for name in ("schedule", "races")
        if (value := getattr(arguments, name)) is not None
    }
    if arguments.emulate is None:
        if given:
            option = "--no-races" if "races" in given else "--schedule"
            raise UsageError(f"{option} needs --emulate")
        return None
    if arguments.target != HOST or arguments.emulate in (HOST, GPU):
        raise UsageError("--emulate takes the name of a GPU, such as sm_90, instead of --target")
    if arguments.emulate not in TARGETS:
        meant = did_you_mean(arguments.emulate, TARGETS)
        known = ", ".join(TARGETS)
        raise UnsupportedError(
            f"--emulate: there is no GPU {arguments.emulate!r}{meant}; known are {known}"
        )
    if arguments.time is not None:
        raise UsageError("--time says nothing about a GPU that is emulated")
    arguments.target = arguments.emulate
    return given


def _counts(arguments: argparse.Namespace, emulated: bool) -> bool:
    """Whether the run counts. UsageError where nothing can be counted."""
    if arguments.count and (arguments.time or not (emulated or arguments.target == HOST)):
        raise UsageError("--count is for --target host or --emulate, without --time")
    return arguments.count


def _compiled(
    bytecode: tileir.Bytecode,
    symbol: str,
    arguments: argparse.Namespace,
    check: Sequence[Check],
    options: dict[str, Any],
) -> Compilation:
    try:
        target = gpu_here() if arguments.target == GPU else arguments.target
        if arguments.count and target == HOST:
            options |= {"count": True}
        if arguments.emulate:
            options |= {"lineinfo": True}
        with named_as_written(), _lines_or_none(arguments.emulate is not None):
            return tileir.compile(
                bytecode,
                target,
                symbols=[symbol],
                cache=not arguments.no_cache,
                check=check,
                trace=arguments.trace,
                **options,
            )
    except KeyError as error:
        if not arguments.trace:
            raise
        raise UsageError(f"--trace: {error.args[0]}") from None


@contextlib.contextmanager
def _lines_or_none(wanted: bool) -> Iterator[None]:
    """If lines of source are wanted, let nothing warn in here that none is known."""
    with warnings.catch_warnings():
        if wanted:
            warnings.filterwarnings("ignore", "no line information", RuntimeWarning)
        yield


def _crashes(on_host: bool, function: Function) -> contextlib.AbstractContextManager[None]:
    """Return a context that tells of a crash of the kernel, on the CPU."""
    if not on_host:
        return contextlib.nullcontext()
    from tileir.codegen.host.running.crashes import crashes, text

    where = f" ({function.location})" if function.location else ""
    kernel = f"tileir run: {display(function.name)}{display(where)}"
    return crashes().launch(text(kernel, "--check memory,undefined says where"))


def _repeat(launch: Callable[[Sequence[Any]], float], values: list[Any], times: int) -> list[float]:
    """Run a kernel several times; return the seconds of each run.

    All runs start from the same input; only the last one writes to `values`, and only its output is
    printed.
    """
    return [*(_on_copies(launch, values) for _ in range(times - 1)), launch(values)]


def _on_copies(launch: Callable[[Sequence[Any]], float], values: list[Any]) -> float:
    """Run a kernel once on copies of its arguments, without output; return the seconds."""
    copies = [aligned(value) if hasattr(value, "strides") else value for value in values]
    with contextlib.redirect_stdout(io.StringIO()):
        return launch(copies)


def _save(text: str, values: list[Any]) -> tuple[int, str]:
    number, equals, path = text.partition("=")
    if not equals or not path or not (number.isascii() and number.isdecimal()):
        raise UsageError(f"--save takes N=FILE, as in 0=out.npy, not {text!r}")
    return _pointer(number, f"--save {text}", values), path


def _printed(text: str, values: list[Any]) -> list[int]:
    if text == "all":
        return [number for number, value in enumerate(values) if hasattr(value, "dtype")]
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"--print takes the number of an argument, or all, not {text!r}")
    return [_pointer(text, f"--print {text}", values)]


def _pointer(number: str, option: str, values: list[Any]) -> int:
    """Return the number of an argument; UsageError if it is not an array."""
    if len(number) > 9 or int(number) >= len(values):
        has = f"the last one is {len(values) - 1}" if values else "the kernel has none"
        raise UsageError(f"{option}: there is no argument {number}; {has}")
    if isinstance(values[int(number)], bool | int | float):
        raise UsageError(f"{option}: argument {number} is a scalar, not an array")
    return int(number)


def _npy(array: np.ndarray) -> bytes:
    import numpy as np

    if array.dtype.isbuiltin != 1:  # NumPy cannot read the names of types that are not its own
        array = array.view(f"V{array.itemsize}")
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()
