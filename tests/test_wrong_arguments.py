"""Whatever is passed to whatever is public: it works, or the error is one that we raise on purpose.

Such an error names what was wrong. All others, an AttributeError from deep inside, say, tell a user
nothing.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tileir.attributes import DivBy
from tileir.builder import Module, number, splat
from tileir.builder.kernel import Kernel
from tileir.cutile import capability
from tileir.cutile.options import Options
from tileir.diff import compare
from tileir.formats.limits import Limits
from tileir.formats.version import Version
from tileir.rewrite import extract, opt, strip
from tileir.sampler import sample
from tileir.types import Pointer, Scalar, Tile

OURS = tuple(str(ROOT / layer) for layer in ("formats", "tileir", "codegen"))
SOFTMAX = (FIXTURES / "13.4" / "softmax.tileirbc").read_bytes()
ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()


HUGE = 2**70


class Unhelpful:
    """Something that raises whatever is asked of it."""

    def __bool__(self) -> bool:
        raise RuntimeError("asked for its truth")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None


def wrong_things() -> Iterator[object]:
    """Values of many kinds; each is wrong in most places."""
    yield from (None, True, 0, 1, -1, 7, HUGE, 1.5, float("nan"), 1j)
    yield from ("", "x", "13.4", "sm_90", "\ud800", "a\0b", "main", b"", b"x", bytearray(b"\1\2"))
    yield from ([], [1], [None], ["x"], [[1]], (1, 2, 3, 4), (True, True), (2**70,), ("x", 1))
    yield from ({}, {"a": 1}, {1: 2}, {1}, set(), frozenset({1, 2}), {1: 1, 2: 2}.keys(), range(2))
    yield from (np.array(True), np.array(1), np.array([1]), np.array([True, False]), np.array([]))
    yield from (np.array([[1, 2]]), np.array(["a"]), np.float32(1), np.int64(2), np.bool_(True))
    yield from (object(), int, len, ..., Path("x"), memoryview(b"x"), Version(13, 4), Scalar("f32"))
    yield from (Tile(Scalar("f32")), Pointer(Scalar("f32")), DivBy(3), Unhelpful(), Unhelpful)
    yield from (iter([1]), (each for each in "ab"), slice(1))


Call = Callable[[object], object]


@cache
def bytecode() -> tileir.Bytecode:
    return tileir.Bytecode.parse(SOFTMAX)


@cache
def on_host():
    return tileir.compile(ADD, "host", cache=False)


@cache
def checked():
    return tileir.compile(ADD, "host", check=("memory",), cache=False)


@cache
def on_gpu():
    return tileir.compile(ADD, "sm_90")


@cache
def emulated():
    return tileir.emulator.load(on_gpu())


def arguments() -> list:
    """Arguments of vector_add."""
    arrays = [np.zeros(16, np.float32) for _ in range(3)]
    return [each for array in arrays for each in (array, 16, 1)]


def launched(kernels: Call, **options) -> Call:
    """A launch in which one option is wrong: the one that is `...`."""

    def call(wrong: object) -> object:
        given = {"grid": 1, "args": arguments(), **options}
        given = {name: wrong if value is ... else value for name, value in given.items()}
        return kernels()["vector_add"].launch(given.pop("grid"), given.pop("args"), **given)

    return call


def one_argument(kernels: Call, index: int) -> Call:
    """A launch in which one argument is wrong."""

    def call(wrong: object) -> object:
        args = arguments()
        args[index] = wrong
        return kernels()["vector_add"].launch(0, args)

    return call


def in_kernel(use: Callable[[Kernel, object], object]) -> Call:
    """A call of an op's method in a new kernel."""

    def call(wrong: object) -> object:
        kernel = Module().function("main", ["ptr<f32>", "i32", "f32"])
        return use(kernel, wrong)

    return call


def rounded(kernel: Kernel, **flags: object) -> object:
    value = kernel.parameters[2]
    return kernel.addf(value, value, **flags)


FROM_FILES: dict[str, Call] = {
    "parse": tileir.Bytecode.parse,
    "parse limits": lambda x: tileir.Bytecode.parse(SOFTMAX, limits=x),
    "parse reference": lambda x: tileir.Bytecode.parse(ADD, reference=x),
    "of": tileir.Bytecode.of,
    "function": lambda x: bytecode().function(x),
    "touch": lambda x: bytecode().touch(strict=x),
    "build": lambda x: bytecode().build(check=x),
    "to_version": lambda x: bytecode().to_version(x),
    "assemble": tileir.assemble,
    "assemble version": lambda x: tileir.assemble("", version=x),
    "assemble name": lambda x: tileir.assemble("entry", name=x),
    "disassemble": tileir.disassemble,
    "disassemble debug": lambda x: tileir.disassemble(bytecode(), debug=x),
    "disassemble function": lambda x: tileir.disassemble(bytecode(), function=x),
    "verify": tileir.verify,
    "verify target": lambda x: tileir.verify(bytecode(), target=x),
    "verify strict": lambda x: tileir.verify(bytecode(), strict=x),
    "opt": opt.opt,
    "strip": strip.strip,
    "extract": lambda x: extract.extract(x, ["main"]),
    "compare": lambda x: compare(SOFTMAX, x),
    "Limits": lambda x: Limits(region_depth=x),
    "Version.of": Version.of,
}
COMPILING: dict[str, Call] = {
    "compile": tileir.compile,
    **{
        f"compile {option} for {target}": lambda x, target=target, option=option: tileir.compile(
            bytecode(), target, **{"cache": False, option: x}
        )
        for target in ("host", "sm_90")
        for option in (
            "symbols", "cache", "check", "trace", "lineinfo", "portable", "num_warps",
            "cluster_dim", "num_ctas", "maxnreg", "minnctapersm", "maxclusterrank",
            "blocksareclusters",
        )
    },
    "compile target": lambda x: tileir.compile(bytecode(), x, cache=False),
    "kernel of a compilation": lambda x: on_host()[x],
    "kernel in a compilation": lambda x: x in on_host(),
}  # fmt: skip
LAUNCHING: dict[str, Call] = {
    **{
        f"{name} {option}": launched(kernels, **{option: ...})
        for name, kernels, options in (
            ("host", on_host, ("grid", "args", "threads", "allocations", "progress", "on_trace",
                               "print_assertions", "stream")),
            ("checked host", checked, ("allocations",)),
            ("GPU", on_gpu, ("grid", "args", "stream", "threads")),
            ("emulator", emulated, ("grid", "args", "schedule", "races", "allocations", "limit",
                                    "approximations")),
        )
        for option in options
    },
    **{
        f"{name} argument {index}": one_argument(kernels, index)
        for name, kernels in (("host", on_host), ("GPU", on_gpu), ("emulator", emulated))
        for index in (0, 1)
    },
    "load": lambda x: tileir.emulator.load(x),
    "load plan": lambda x: tileir.emulator.load(on_gpu(), x),
    "load plan of text": lambda x: tileir.emulator.load(on_gpu().ptx, x),
    "kernel of a program": lambda x: emulated()[x],
    "emulator.launch text": lambda x: tileir.emulator.launch(
        x, on_gpu().plan["vector_add"], 1, arguments()
    ),
    "emulator.launch plan": lambda x: tileir.emulator.launch(on_gpu().ptx, x, 1, arguments()),
    "emulator.launch args": lambda x: tileir.emulator.launch(
        on_gpu().ptx, on_gpu().plan["vector_add"], 1, x
    ),
    "Buffer address": lambda x: launched(on_host, args=...)(
        [tileir.Buffer(x, 64), 16, 1, *arguments()[3:]]
    ) if not isinstance(x, int) else None,
    "Buffer size": lambda x: one_argument(checked, 0)(tileir.Buffer(4096, x)),
}  # fmt: skip
BUILDING: dict[str, Call] = {
    "Module": Module,
    "Module producer": lambda x: Module(producer=x),
    "Module.build check": lambda x: Module().build(check=x),
    "function name": lambda x: Module().function(x),
    **{
        f"function {option}": lambda x, option=option: Module().function("f", **{option: x})
        for option in ("parameters", "hints", "argument_attributes", "private", "location")
    },
    "global name": lambda x: Module().global_(x, np.zeros(4)),
    "global value": lambda x: Module().global_("g", x),
    **{
        f"global {option}": lambda x, option=option: Module().global_(
            "g", np.zeros(4, np.float32), **{option: x}
        )
        for option in ("type", "alignment", "private", "constant")
    },
    "splat": lambda x: splat(x, "4xf32"),
    "splat type": lambda x: splat(1, x),
    "number": lambda x: number(x, "i32"),
    "number of a float": lambda x: number(x, "f32"),
    "number type": lambda x: number(1, x),
    "sample": sample,
    "sample version": lambda x: sample(1, x),
    "sample ops": lambda x: sample(1, ops=None if x is HUGE else x),
    "operand": in_kernel(lambda k, x: k.negf(x)),
    "operands": in_kernel(lambda k, x: k.join_tokens(x)),
    "enum": in_kernel(lambda k, x: rounded(k, rounding_mode=x)),
    "unit": in_kernel(lambda k, x: rounded(k, flush_to_zero=x)),
    "result": in_kernel(lambda k, x: k.exti(k.parameters[1], "signed", result=x)),
    "results": in_kernel(lambda k, x: k.negf(k.parameters[2], results=x)),
    "location of an op": in_kernel(lambda k, x: k.negf(k.parameters[2], location=x)),
    "at": in_kernel(lambda k, x: k.at(x).__enter__() or k.negf(k.parameters[2])),
    "constant": in_kernel(lambda k, x: k.constant(x)),
    "constant result": in_kernel(lambda k, x: k.constant(1, result=x)),
    "text": in_kernel(lambda k, x: k.print_tko([], str=x)),
    "assume": in_kernel(lambda k, x: k.assume(k.parameters[1], x)),
    "divisor": in_kernel(lambda k, x: k.assume(k.parameters[1], DivBy(x))),
    "if condition": in_kernel(lambda k, x: k.if_(x)),
    "if results": in_kernel(
        lambda k, x: k.if_(k.constant(True, result="i1"), results=x)
    ),
    "loop": in_kernel(lambda k, x: k.loop(x)),
    "for step": in_kernel(lambda k, x: k.for_(k.parameters[1], k.parameters[1], x)),
    "hints": in_kernel(
        lambda k, x: k.load_ptr_tko(
            k.parameters[0], memory_ordering_semantics="weak", optimization_hints=x
        )
    ),
    "dim": in_kernel(lambda k, x: k.reduce([k.constant(1, result="4xf32")], dim=x,
                                           identities=[number(0.0, "f32")])),
    "identities": in_kernel(lambda k, x: k.reduce([k.constant(1, result="4xf32")], dim=0,
                                                  identities=x)),
    "permutation": in_kernel(
        lambda k, x: k.permute(k.constant(1, result="4x8xf32"), x, result=(8, 4))
    ),
    "inbounds": in_kernel(lambda k, x: k.alloca(num_elem=x, alignment=16, result="ptr<f32>")),
}  # fmt: skip

CALLS = {**FROM_FILES, **COMPILING, **LAUNCHING, **BUILDING}


def on_purpose(error: BaseException) -> bool:
    """Whether an error was raised by a statement of ours, with something to say."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno).strip()
    return frame.filename.startswith(OURS) and line.startswith("raise ") and bool(str(error))


EXPECTED = (tileir.TileIRError, TypeError, ValueError, KeyError)
FUNCTIONS = ("host progress", "host on_trace")
"""Calls that take any function; what that raises is its own affair."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(name: str) -> None:
    astray = []
    for wrong in wrong_things():
        if name in FUNCTIONS and callable(wrong):
            continue
        try:
            CALLS[name](wrong)
        except FileNotFoundError:
            assert isinstance(wrong, Path)
        except Exception as error:
            if not isinstance(error, EXPECTED) or not on_purpose(error):
                frame = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(frame.filename).name}:{frame.lineno}"
                astray.append(f"{type(wrong).__name__}: {type(error).__name__} at {place}: {error}")
    assert not astray, "\n".join(astray)


@pytest.mark.parametrize("kernels", [on_host, on_gpu, emulated])
@pytest.mark.parametrize(
    "grid", [b"\1\2", bytearray(b"\1"), {1, 2}, {1: 2}, iter([1]), "12", None, 1.0, np.array(1.5)]
)
def test_a_grid_is_numbers_in_order(kernels: Callable, grid: object) -> None:
    with pytest.raises(tileir.LaunchError, match="the grid must be integers"):
        kernels()["vector_add"].launch(grid, arguments())


@pytest.mark.parametrize("grid", [2, (2,), [2, 1], range(1, 3), np.array([2, 1]), np.int64(2)])
def test_a_grid_of_any_sequence(grid: object) -> None:
    on_host()["vector_add"].launch(grid, arguments())


@pytest.mark.parametrize("name", ["on_trace", "progress"])
@pytest.mark.parametrize("wrong", ["x", 1, [], np.array([1])])
def test_what_is_called_is_a_function(name: str, wrong: object) -> None:
    with pytest.raises(tileir.LaunchError, match=f"vector_add: {name} must be a function, got"):
        on_host()["vector_add"].launch(1, arguments(), **{name: wrong})


@pytest.mark.parametrize("wrong", [np.array([True]), np.array([1, 2]), np.array(True), "no", 2, []])
def test_a_flag_is_true_or_false(wrong: object) -> None:
    kernel = Module().function("main", ["f32"])
    value = kernel.parameters[0]
    message = "addf: flush_to_zero: it is to be true or false, found"
    with pytest.raises(tileir.BuildError, match=message):
        kernel.addf(value, value, flush_to_zero=wrong)
    with pytest.raises(tileir.BuildError, match="private is to be true or false, found"):
        Module().function("main", private=wrong)
    for call in (
        lambda: tileir.compile(ADD, "host", cache=wrong),
        lambda: tileir.verify(ADD, strict=wrong),
        lambda: tileir.disassemble(ADD, debug=wrong),
        lambda: tileir.Bytecode.parse(ADD, reference=wrong),
        lambda: on_host()["vector_add"].launch(1, arguments(), print_assertions=wrong),
    ):
        with pytest.raises(TypeError, match="is to be true or false, found"):
            call()


@pytest.mark.parametrize("right", [True, 1, np.bool_(True), None, False, 0, np.False_])
def test_what_may_stand_for_a_flag(right: object) -> None:
    kernel = Module().function("main", ["f32"])
    made = kernel.addf(*kernel.parameters * 2, flush_to_zero=right)
    assert made.owner.attributes["flush_to_zero"] is bool(right)


@pytest.mark.parametrize("wrong", [0, -1, "4", True, 1.5, np.array([1])])
def test_options_of_cutile(wrong: object) -> None:
    with pytest.raises(tileir.UnsupportedError, match="threads must be at least 1, not"):
        Options(wrong)
    with pytest.raises((tileir.UnsupportedError, TypeError), match=r"unknown GPU|name of a GPU"):
        capability(wrong)
