"""`tileir run`: arguments, what comes out and in which form, exit codes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.corpus import FIXTURES, ROOT
from tests.programs import call, fails
from tileir import assemble
from tileir.__main__ import main
from tileir.builder import Module
from tileir.codegen.host import HostKernel
from tileir.commands import progress
from tileir.commands.argument_words import values_of
from tileir.errors import TileIRError
from tileir.ir.type_kinds import type_problem
from tileir.types import PartitionView, Scalar, TensorView

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
TWO = FIXTURES / "13.4" / "two_entries.tileirbc"
ZEROS = ["--zeros", "8:f32", "--arg", 8, "--arg", 1]


def tileir(*arguments: object, data: bytes | None = None) -> subprocess.CompletedProcess[str]:
    return call(main, *arguments, data=data)


def copying(element: str, size: int = 16, extra: str | None = None) -> Module:
    """A kernel that copies `size` elements from its first argument to its second."""
    module = Module("13.4")
    kernel = module.function("copy", [f"ptr<{element}>"] * 2 + ([extra] if extra else []))
    array = TensorView(Scalar(element), (size,), (1,))
    index = kernel.constant(0, result="i32")
    views = [
        kernel.make_partition_view(
            kernel.make_tensor_view(pointer, result=array),
            result=PartitionView((size,), array, dim_map=(0,)),
        )
        for pointer in kernel.parameters[:2]
    ]
    tile, token = kernel.load_view_tko(views[0], [index], memory_ordering_semantics="weak")
    kernel.store_view_tko(tile, views[1], [index], token, memory_ordering_semantics="weak")
    kernel.return_()
    return module


@pytest.mark.parametrize("size", [1, 1023, 1024, 2500])
def test_run(size: int, tmp_path: Path) -> None:
    x, y = np.random.default_rng(size).standard_normal((2, size), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    arguments = []
    for array in (tmp_path / "x.npy", tmp_path / "y.npy", f"zeros:{size}:float32"):
        arguments += ["--arg", array, "--arg", size, "--arg", 1]
    grid, out = -(-size // 1024), tmp_path / "z.npy"
    done = tileir("run", VECTOR_ADD, "--grid", grid, *arguments, "--save", f"6={out}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert np.array_equal(np.load(out).view(np.uint32), (x + y).view(np.uint32))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--entry", "nobody"], "there is no entry 'nobody'"),
        (["--grid", "1,2,3,4"], "--grid takes"),
        (["--grid", "-1"], "--grid takes one to three numbers such as 4,1,1, not '-1'"),
        (["--grid", "16777216"], "--grid takes up to 16777215 blocks along an axis, not 16777216"),
        (["--grid", "1,99999999999999999999"], "along an axis, not 99999999999999999999"),
        (["--arg", "1"], "takes 9 arguments, not 1"),
        (
            ["--arg", "missing.npy", *["--arg", "1"] * 8],
            "argument 0 is a ptr<f32>: missing.npy: No such file",
        ),
        (["--arg", "5"] * 9, "argument 0 is a ptr<f32>, which 5 is not; give a .npy file, zeros"),
        (["--arg", "zeros:4:f33", *["--arg", "1"] * 8], "no element type 'f33'"),
        (
            [*["--arg", "zeros:4:f32", "--arg", "4", "--arg", "1"] * 3, "--save", "9=z"],
            "--save 9=z: there is no argument 9; the last one is 8",
        ),
        (
            [*["--arg", "zeros:4:f32", "--arg", "4", "--arg", "1"] * 3, "--save", "z.npy"],
            "--save takes N=FILE, as in 0=out.npy, not 'z.npy'",
        ),
        (["--arg", "zeros:x:float32", *["--arg", "1"] * 8], "zeros takes SHAPE:DTYPE, "),
        (["--arg", "zeros:4:float99", *["--arg", "1"] * 8], "no element type 'float99'"),
        (["--arg", str(VECTOR_ADD), *["--arg", "1"] * 8], "not a .npy file"),
        (["--arg", "zeros:4:float32", "--arg", "one", *["--arg", "1"] * 7], "not a whole number"),
        (["--arg", "zeros:4:int32", "--arg", "4", "--arg", "1"] * 3, "parameter 0"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str) -> None:
    fails(tileir("run", VECTOR_ADD, *arguments), 2, message)


@pytest.mark.parametrize("element", ["float32", "f32"])
def test_an_element_type_has_two_names(element: str, tmp_path: Path) -> None:
    out = tmp_path / "z.npy"
    arguments = ["--arg", f"zeros:8:{element}", "--arg", 8, "--arg", 1] * 3
    assert tileir("run", VECTOR_ADD, *arguments, "--save", f"6={out}").returncode == 0
    assert np.load(out).dtype == np.float32


def test_a_file_without_a_kernel() -> None:
    fails(tileir("run", "-", data=Module().build()), 2, "the file has no kernel")


def test_list_shows_numbers_and_types() -> None:
    done = tileir("run", "--list", VECTOR_ADD)
    assert done.stdout.splitlines()[:4] == [
        "vector_add",
        "  0  ptr<f32>  array 0: shape (?), strides (1), a multiple of 16",
        "  1  i32       array 0: extent 0",
        "  2  i32       array 0: stride 0",
    ]


def test_a_list_for_programs() -> None:
    listed = json.loads(tileir("run", "--list", "--json", TWO).stdout)
    assert listed["schema"] == 1
    assert [entry["entry"] for entry in listed["entries"]] == ["first", "second"]
    assert listed["entries"][0]["parameters"][0] == "ptr<i32>"


def test_list_of_one_entry() -> None:
    listed = json.loads(tileir("run", "--list", "--json", "--entry", "second", TWO).stdout)
    assert [entry["entry"] for entry in listed["entries"]] == ["second"]
    done = tileir("run", "--list", "--entry", "nope", TWO)
    assert (done.returncode, "there is no entry 'nope'" in done.stderr) == (2, True)


def test_an_entry_is_needed_where_there_are_several() -> None:
    fails(tileir("run", TWO), 2, "--entry is needed; the file has first, second")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--random", "8:f33:1"], "there is no element type 'f33'"),
        (["--random", "8:complex64:1"], "there is no element type 'complex64'"),
        (["--random", "8"], "random takes SHAPE:DTYPE[:SEED], as in 64x48:f32:7, not '8'"),
        (["--random", "8x-3:f32"], "not '8x-3:f32'; extents are numbers from 0 on"),
        (["--arg", "rand:8:f32"], "no file rand:8:f32, nor an array of rand, did you mean random?"),
        (["--zeros", "8:f32:1"], "zeros takes SHAPE:DTYPE, as in 64x48:f32, not '8:f32:1'"),
        (["--zeros", f"{'9' * 5000}:f32"], "zeros takes SHAPE:DTYPE, as in 64x48:f32, not '999"),
        ([*ZEROS, "--grid", "9" * 5000], f"blocks along an axis, not {'9' * 20}...{'9' * 20}"),
        ([*ZEROS, "--grid", "x" * 5000], f"numbers such as 4,1,1, not '{'x' * 20}...{'x' * 20}'"),
        (
            [*ZEROS, "--grid", ",".join(["16777215"] * 3)],
            "a grid of 16777215x16777215x16777215 blocks has more than 9223372036854775807",
        ),
        (["--zeros", "9999999999999x9999999:f32"], "no memory for 9999999999999x9999999:f32"),
        (
            ["--zeros", "3x5:f4E2M1FN"],
            "argument 0: 3x5:f4E2M1FN: two elements share a byte, and 5 is odd",
        ),
        ([*ZEROS, "--print", "9"], "--print 9: there is no argument 9; the last one is 8"),
        ([*ZEROS, "--print", "1"], "--print 1: argument 1 is a scalar, not an array"),
        ([*ZEROS, "--print", "z"], "--print takes the number of an argument, or all, not 'z'"),
        ([*ZEROS, "--time", "0"], "--time takes how often to run, from 1, not 0"),
        ([*ZEROS, "--threads", "0"], "vector_add: threads must be an integer from 1, got 0"),
        (["--zeros", "8:f64"], "vector_add: parameter 0 (ptr<f32>): expected an array of float32"),
        ([*ZEROS, "--arg", "zeros:8:f32", "--arg", "4294967296"], "parameter 4 (i32): 4294967296"),
        ([*ZEROS, "--save", f"0={VECTOR_ADD}"], "is what is read"),
    ],
)
def test_more_wrong_arguments(arguments: list, message: str) -> None:
    given = sum(option in ("--arg", "--zeros", "--random") for option in arguments)
    rest = [*ZEROS, *ZEROS, *ZEROS][2 * given :]
    fails(tileir("run", VECTOR_ADD, *arguments, *rest), 2, message)


def test_a_seed_is_a_result(tmp_path: Path) -> None:
    def sum_of(*seeds: int) -> np.ndarray:
        noise = [("--random", f"3x5:f32:{seed}", "--arg", 15, "--arg", 1) for seed in seeds]
        out = tmp_path / "z.npy"
        rest = ["--zeros", "15:f32", "--arg", 15, "--arg", 1, "--save", f"6={out}"]
        assert tileir("run", VECTOR_ADD, *noise[0], *noise[1], *rest).returncode == 0
        return np.load(out)

    expected = sum(
        np.random.default_rng(seed).standard_normal((3, 5)).astype(np.float32) for seed in (5, 9)
    )
    np.testing.assert_array_equal(sum_of(5, 9), expected.reshape(-1))
    np.testing.assert_array_equal(sum_of(5, 9), sum_of(9, 5))
    assert (sum_of(5, 9) != sum_of(5, 8)).any()


NAMES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "tf32": np.float32,
    "f64": np.float64, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip


@pytest.mark.parametrize("element", NAMES)
def test_elements_by_their_names_and_files_of_them(element: str, tmp_path: Path) -> None:
    """What --save writes is read again, of types too that NumPy has no name for."""
    module = copying(element).build()
    first, second = tmp_path / "first.npy", tmp_path / "second.npy"
    arguments = ["--random", f"16:{element}:3", "--zeros", f"16:{element}", "--save", f"1={first}"]
    assert tileir("run", "-", *arguments, data=module).stderr == ""
    arguments = ["--arg", first, "--zeros", f"16:{element}", "--save", f"1={second}"]
    assert tileir("run", "-", *arguments, data=module).stderr == ""
    assert first.read_bytes() == second.read_bytes()
    found = np.load(first)
    assert found.itemsize == np.dtype(NAMES[element]).itemsize
    numbers = found.view(NAMES[element])
    assert len(set(numbers.astype(np.float64).tolist())) > 1
    assert np.isfinite(numbers.astype(np.float64)).all()


def test_four_bit_elements_are_packed() -> None:
    function = Module("13.4").function("entry", ["ptr<f4E2M1FN>"] * 2)
    zeros, noise = values_of(function, ["zeros:2x6:f4E2M1FN", "random:2x6:f4E2M1FN:1"])
    assert (zeros.shape, zeros.dtype, noise.shape, noise.dtype) == ((2, 3), "u1", (2, 3), "u1")
    assert noise.any()


def test_printed_arrays() -> None:
    arguments = ["--random", "16:bf16:3", "--zeros", "16:bf16", "--print", "1"]
    done = tileir("run", "-", *arguments, data=copying("bf16").build())
    numbers = np.random.default_rng(3).standard_normal(16).astype(ml_dtypes.bfloat16)
    assert done.stdout == f"argument 1, ptr<bf16>, 16 bfloat16:\n{numbers}\n"
    both = tileir("run", "-", *arguments, "--print", "all", data=copying("bf16").build())
    assert both.stdout.count("argument 1,") == 2
    assert both.stdout.count("argument 0,") == 1


def test_json(tmp_path: Path) -> None:
    source = np.array([1.5, np.nan, np.inf, -np.inf, -0.0, 3], np.float16)
    np.save(tmp_path / "x.npy", source)
    module = copying("f16", 4, extra="i32").build()
    done = tileir(
        "run", "-", "--json", "--grid", "1,1", "--arg", tmp_path / "x.npy", "--zeros", "2x2:f16",
        "--arg", "7", "--print", "1", "--time", "2", data=module,
    )  # fmt: skip
    found = json.loads(done.stdout)
    time = found.pop("time")
    assert found == {
        "schema": 1, "entry": "copy", "grid": [1, 1],
        "arguments": [
            {"number": 0, "type": "ptr<f16>", "dtype": "float16", "shape": [6]},
            {"number": 1, "type": "ptr<f16>", "dtype": "float16", "shape": [2, 2],
             "values": [[1.5, "nan"], ["inf", "-inf"]]},
            {"number": 2, "type": "i32", "value": 7},
        ],
    }  # fmt: skip
    assert (time["runs"], time["bytes"]) == (2, 20)
    assert 0 < time["best_s"] <= time["median_s"]
    assert time["gb_per_s"] == pytest.approx(20e-9 / time["best_s"])


def test_timed_runs_start_from_the_same_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def launch(self, grid, args, **options) -> None:
        seen.append((id(args[1]), args[1].tolist()))
        args[1][:] = 5
        print("from the kernel")

    monkeypatch.setattr(HostKernel, "launch", launch)
    arguments = ["--zeros", "16:f32", "--zeros", "16:f32", "--time", "3", "--print", "1"]
    done = tileir("run", "-", *arguments, data=copying("f32").build())
    assert [values for _, values in seen] == [[0.0] * 16] * 4, "one of them checked"
    first, heading, numbers, timed = done.stdout.splitlines()
    assert first == "from the kernel"
    assert heading == "argument 1, ptr<f32>, 16 float32:"
    assert set(numbers) == set("[5. ]")
    assert timed.startswith("best of 3 runs: ")
    assert timed.endswith(" GB/s if each of 0.000128 MB in arrays is touched once")


def test_json_is_all_there_is_on_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostKernel, "launch", lambda *_, **options: print("from the kernel"))
    arguments = ["--zeros", "16:f32", "--zeros", "16:f32", "--json"]
    done = tileir("run", "-", *arguments, data=copying("f32").build())
    assert json.loads(done.stdout)["time"] is None
    assert done.stderr == "from the kernel\n"


def test_a_kernel_that_finds_something_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def launch(*_, **options) -> None:
        raise TileIRError("copy: assertion failed at k.py:7")

    monkeypatch.setattr(HostKernel, "launch", launch)
    done = tileir("run", "-", "--zeros", "16:f32", "--zeros", "16:f32", data=copying("f32").build())
    fails(done, 1, "copy: assertion failed at k.py:7")


def test_a_progress_bar_for_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        """A stream that is a terminal."""

        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with progress.progress_bar("quick") as show:
        show(1, 10)
        show(10, 10)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.progress_bar("slow") as show:
        show(1, 4)
        show(3, 4)
        time.sleep(0.2)  # it is drawn ten times a second
        show(4, 4)
    assert "slow" in terminal.getvalue()
    assert "4/4" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.progress_bar("nobody looks") as show:
        assert show is None


@pytest.mark.skipif(os.name == "nt", reason="a program cannot send Ctrl-C to one other program")
def test_ctrl_c_has_its_own_exit_code() -> None:
    program = (
        "import os, signal, sys\n"
        "from tileir.__main__ import main\n"
        "from tileir.codegen.host import HostKernel\n"
        "def launch(*_, **options): os.kill(os.getpid(), signal.SIGINT)\n"
        "HostKernel.launch = launch\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "tileir run: interrupted\n")


LONG = ["run", VECTOR_ADD, *ZEROS, "--zeros", "7:f32", "--arg", 8, "--arg", 1, *ZEROS]
"""An extent that is larger than its array."""


def test_memory_is_checked_unless_told_otherwise() -> None:
    said = "of parameter 3, which has 28 bytes, fewer than parameter 4 says, at element [7]"
    fails(tileir(*LONG), 1, said)
    fails(tileir(*LONG, "--time", 2), 1, said)
    assert tileir(*LONG, "--no-check").returncode == 0
    assert tileir(*LONG, "--check", "undefined").returncode == 0


def test_the_variables_where_it_goes_wrong(tmp_path: Path) -> None:
    text = tmp_path / "k.mlir"
    text.write_text(
        "entry @k(%n: tile<i32>) {\n%c = constant <i32: 5> : tile<i32>\n"
        "%b = addi %c, %n : tile<i32>\n%z = cmpi less_than %b, %c, signed : tile<i32> -> tile<i1>\n"
        'assert %z, "small" : tile<i1>\nreturn\n}'
    )
    done = tileir("run", text, "--arg", 2, "--break", "assert")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == f"assert: assertion failed: small at {text}:5 in k, block (0, 0, 0)"
    assert {"  %cst_5_i32 = 5", "  %0 = 7", "  %1 = False"} <= set(lines)
    done = tileir("run", text, "--arg", 2, "--break", "finding")
    assert (done.returncode, done.stdout) == (1, "")
    fails(tileir("run", text, "--arg", 2, "--break", "asert"), 2, "did you mean assert?")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_crash_is_told_in_a_sentence() -> None:
    far = ["--zeros", "8:f32", "--arg", 2**30, "--arg", 1]
    command = ["-m", "tileir", "run", VECTOR_ADD, *far * 2, *ZEROS, "--grid", 2**20, "--no-check"]
    done = subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, capture_output=True)
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS)
    told = done.stderr.decode()
    assert told.startswith(
        "tileir run: vector_add (/tileir/fixtures/kernels/elementwise.py:13:0) crashed"
    )
    assert told.endswith(
        "it accessed memory that is not there; --check memory,undefined says where\n"
    )
    assert told.count("\n") == 1


def test_checks_name_what_is_wrong() -> None:
    fine = ["run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS, "--check", "memory,undefined"]
    assert tileir(*fine).returncode == 0
    short = LONG
    fails(
        tileir(*short, "--check", "memory"), 1,
        "load_view_tko: access of 4 bytes at offset 28 of parameter 3, which has 28 bytes",
    )  # fmt: skip
    fails(tileir(*fine[:-1], "all"), 2, "'memory', 'undefined' or 'nan', or several, not 'all'")
    fails(tileir(*fine[:-1], "memry"), 2, "not 'memry', did you mean memory?")
    told = json.loads(tileir(*short, "--check", "memory", "--json").stdout)
    assert told["error"]["op"] == "load_view_tko"
    assert (told["error"]["entry"], told["error"]["block"]) == ("vector_add", [0, 0, 0])
    assert told["error"]["indices"] == [[7]]


def test_json_of_what_goes_wrong() -> None:
    """One object, and the exit code that it has without."""
    for arguments, code, message in (
        (["nowhere"], 2, "nowhere: No such file"),
        ([VECTOR_ADD, "--arg", 1], 2, "takes 9 arguments, not 1"),
        ([sorted((FIXTURES / "invalid").glob("*opcode*.tileirbc"))[0]], 3, "at 0x"),
    ):
        done = tileir("run", "--json", *arguments)
        assert (done.returncode, done.stderr) == (code, "")
        told = json.loads(done.stdout)
        assert message in told["error"]["message"]
        assert told["file"] == str(arguments[0])


FALSE = """\
entry @k() {
  %b = constant <i1: false> : tile<i1>
  assert %b, "never" : tile<i1>
  return
}
"""


def test_a_false_assertion_is_told_once() -> None:
    data = bytes(assemble(FALSE).data)
    done = tileir("run", "-", data=data)
    fails(done, 1, "tileir run: assertion failed: never in k, block (0, 0, 0)")
    told = tileir("run", "-", "--json", data=data)
    assert (told.returncode, told.stderr) == (1, "")
    assert json.loads(told.stdout)["error"]["message"].startswith("assertion failed: never")


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_SIZE", "foo")
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    given = ("--grid", 1, "--save", f"6={tmp_path / 'y.npy'}")
    done = tileir("run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS, *given)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "tileir run: warning: TILEIR_CACHE_SIZE='foo' is no size such as 500M; the limit is 1G\n"
    )


@pytest.mark.parametrize("verb", ["run", "dis", "as", "verify", "inspect", "compile"])
def test_standard_input_that_is_closed(verb: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code = main([verb, "-"])
    said = capsys.readouterr()
    done = subprocess.CompletedProcess([], code, said.out, said.err)
    fails(done, 2, f"tileir {verb}: standard input is closed")


def test_traces_are_printed() -> None:
    done = tileir("run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS, "--trace", "%arg1", "--trace", "arg4")
    assert done.stdout == "block (0, 0, 0): %arg1 = 8\nblock (0, 0, 0): %arg4 = 8\n"
    fails(
        tileir("run", VECTOR_ADD, *ZEROS, *ZEROS, *ZEROS, "--trace", "it"), 2,
        "--trace: no tile is called %it",
    )  # fmt: skip


def test_an_emulated_gpu_that_does_not_exist_is_named_first() -> None:
    said = tileir("run", "--emulate", "sm_91", VECTOR_ADD)
    assert said.returncode == 4
    assert said.stderr.startswith("tileir run: --emulate: there is no GPU 'sm_91', did you mean ")
    assert "takes 9 arguments" not in said.stderr


def test_what_is_wrong_before_block_ir_is_said_first(tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_text("garbage here\nblock_module @kernels {\n}\n")
    said = tileir("compile", path).stderr
    assert said.index(f"{path}:1:1: error: expected") < said.index(f"{path}:2:1: error: this text")
    assert "block IR, which bytecode cannot hold" in tileir("dis", path).stderr


def test_views_have_paddings_of_the_specification() -> None:
    array = TensorView(Scalar("f32"), (16,), (1,))
    assert not type_problem(PartitionView((8,), array, (0,), "nan"))
    wrong = type_problem(PartitionView((8,), array, (0,), "bogus"))
    assert "padding_value: there is no 'bogus', only zero, neg_zero, nan" in wrong
