"""`tileir.emulator`: what is loaded, what may be passed, and what is said of mistakes."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tileir
from tests.codegen.emulator import snippets
from tests.corpus import ROOT
from tests.launches import newest
from tileir import Buffer, EmulationError, LaunchError, UnsupportedError, emulator

SIZE = 2500


@cache
def vector_add() -> Any:
    return tileir.compile(newest("vector_add"), "sm_90")


def arrays() -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(7).random((3, SIZE), dtype=np.float32))


def arguments(*memory: Any) -> list[Any]:
    return [part for each in memory for part in (each, SIZE, 1)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """PTX and plan as `tileir compile` writes them."""
    ptx, plan = tmp_path / "k.ptx", tmp_path / "k.json"
    ptx.write_text(vector_add().ptx)
    plan.write_text(json.dumps(vector_add().plan))
    return ptx, plan


def test_a_compilation() -> None:
    program = emulator.load(vector_add())
    x, y, z = arrays()
    result = program["vector_add"].launch(3, arguments(x, y, z))
    np.testing.assert_array_equal(z, x + y)
    assert result.thread_instructions["add.f32"] + result.thread_instructions["add.rn.f32"] > 0
    assert (list(program), len(program)) == (["vector_add"], 1)
    assert repr(program["vector_add"]).startswith("<EmulatedKernel vector_add(ptr<f32>, i32, i32,")
    with pytest.raises(KeyError, match="no entry 'other'; there are: vector_add"):
        _ = program["other"]


def test_texts_and_files(files: tuple[Path, Path]) -> None:
    plan = vector_add().plan
    for ptx, given in (
        (vector_add().ptx, plan),
        files,
        (files[0], plan["vector_add"]),
        (files[0], json.dumps(plan)),
        (vector_add(), json.dumps(plan["vector_add"])),
    ):
        x, y, z = arrays()
        emulator.load(ptx, given)["vector_add"].launch(3, arguments(x, y, z))
        np.testing.assert_array_equal(z, x + y)


def test_files_need_no_compiler(files: tuple[Path, Path]) -> None:
    program = f"""
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("llvmlite", "hypothesis", "pytest", "mpmath", "tests"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Nowhere())
from pathlib import Path
import numpy, tileir
x, z = numpy.arange(3000, dtype="f4"), numpy.zeros(3000, "f4")
args = [x, 3000, 1, x, 3000, 1, z, 3000, 1]
program = tileir.emulator.load(Path({str(files[0])!r}), Path({str(files[1])!r}))
program["vector_add"].launch(3, args)
print((z == x + x).all())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


class Exported:
    """What offers DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **more: Any) -> Any:
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("spell", ["dlpack", "buffer", "address", "allocation"])
def test_other_memory(spell: str) -> None:
    x, y, z = arrays()
    address, more = z.ctypes.data, []
    if spell in ("address", "allocation"):
        given, more = address, [z if spell == "address" else Exported(z)]
    else:
        given = Exported(z) if spell == "dlpack" else Buffer(address, z.nbytes)
    kernel = emulator.load(vector_add())["vector_add"]
    kernel.launch(3, arguments(x, y, given), allocations=more)
    np.testing.assert_array_equal(z, x + y)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y, z: arguments(x.astype(float), y, z), "0 (ptr<f32>): expected an array of"),
        (lambda x, y, z: arguments(x, y, z)[1:], "vector_add takes 9 arguments, but 8"),
        (lambda x, y, z: arguments(x, y, read_only(z)), "6 (ptr<f32>): expected an array that can"),
        (lambda x, y, z: arguments(x[1:], y, z), "kernel assumes a multiple of 16, got address"),
        (lambda x, y, z: [x, 2.5, 1, *arguments(y, z)], "1 (i32): expected an integer, got float"),
        (lambda x, y, z: [x, 1 << 32, 1, *arguments(y, z)], "1 (i32): 4294967296 is out of range"),
        (lambda x, y, z: arguments(x, y, "memory"), "expected an array, a Buffer or an address"),
        (lambda x, y, z: 3, "the arguments must be a list"),
    ],
)
def test_what_does_not_fit(change: Any, message: str) -> None:
    x, y, z = arrays()
    before = z.copy()
    with pytest.raises(LaunchError, match=re.escape(message)):
        emulator.load(vector_add())["vector_add"].launch(3, change(x, y, z))
    np.testing.assert_array_equal(z, before)


@pytest.mark.parametrize(
    ("grid", "options", "message"),
    [
        (-1, {}, "grid extent -1 is not within"),
        (3, {"schedule": "backwards"}, "no schedule 'backwards': one of lock-step"),
        (3, {"approximations": "rough"}, "no approximations 'rough': one of"),
        (3, {"allocations": [4096]}, "allocation 0: expected an array or a Buffer, got int"),
        (3, {"allocations": 4096}, "allocations must be a list, got 4096"),
    ],
)
def test_launches_that_make_no_sense(grid: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        emulator.load(vector_add())["vector_add"].launch(grid, arguments(*arrays()), **options)


def test_numbers_are_rounded_as_in_other_launches() -> None:
    text = snippets.kernel("ld.param.b16 %h1, [p1];\nst.global.b16 [%d0], %h1;", ("u64", "b16"))
    plan = snippets.plan(("u64", "b16"))
    plan["parameters"][1]["type"] = "bf16"
    z = np.zeros(1, ml_dtypes.bfloat16)
    emulator.load(text, plan)["k"].launch(1, [z, 1 + 3 / 256])
    assert z[0] == ml_dtypes.bfloat16(1 + 1 / 64)
    with pytest.raises(LaunchError, match="out of range"):
        emulator.load(text, plan)["k"].launch(1, [z, 1e39])


def test_mistakes_have_kind_and_place() -> None:
    x, y, z = arrays()
    with pytest.raises(EmulationError, match=r"^bounds: ") as caught:
        emulator.load(vector_add())["vector_add"].launch(3, arguments(x, y, z[:2400]))
    error = caught.value
    line = vector_add().ptx.splitlines()[error.line - 1]
    assert "st.global" in line
    assert (error.kind, error.block) == ("bounds", (2, 0, 0))
    assert (error.address, error.threads[0]) == (z.ctypes.data + 4 * 2400, (2400 - 2048) // 4)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_kernel_that_never_ends() -> None:
    program = emulator.load(snippets.kernel("L:\nbra L;", ()), snippets.plan(()))
    with pytest.raises(EmulationError, match="livelock: not done after 50 steps"):
        program["k"].launch(1, [], limit=50)


def test_races_may_be_left_alone() -> None:
    program = emulator.load(snippets.kernel("st.global.b32 [%d0], %r0;"), snippets.plan())
    z = np.zeros(1, np.int32)
    with pytest.raises(EmulationError, match=r"^race: "):
        program["k"].launch(1, [z])
    program["k"].launch(1, [z], races=False)
    assert 0 <= z[0] < snippets.THREADS


def test_instructions_that_nobody_knows() -> None:
    program = emulator.load(snippets.kernel("frobnicate.b32 %r2, %r1;"), snippets.plan())
    with pytest.raises(UnsupportedError, match=r"does not know frobnicate\.b32") as caught:
        program["k"].launch(1, [np.zeros(1)])
    assert program.ptx.splitlines()[caught.value.line - 1] == "frobnicate.b32 %r2, %r1;"
    with pytest.raises(UnsupportedError, match="syntax"):
        emulator.load(".visible .entry k() {", snippets.plan(()))


def test_plans_that_are_none(tmp_path: Path) -> None:
    text = snippets.kernel("")
    for plan, message in (
        (None, "PTX needs its launch plan, which `tileir compile --emit plan` writes"),
        ({"k": 3}, "the launch plan of k has no entries"),
        ({"k": {}}, "the launch plan of k has no 'entry'"),
        ({"k": {**snippets.plan(), "block": [0, 1, 1]}}, "has no valid 'block'"),
        ({"k": {**snippets.plan(), "parameters": [{}]}}, "has no valid 'parameters'"),
        ({"k": {**snippets.plan(), "grid": "xyw"}}, "has no valid 'grid'"),
    ):
        with pytest.raises(LaunchError, match=re.escape(message)):
            emulator.load(text, plan)
    broken = tmp_path / "plan.json"
    broken.write_text("{")
    with pytest.raises(LaunchError, match=r"plan\.json is no launch plan"):
        emulator.load(text, broken)


def test_plans_as_text_that_are_none() -> None:
    with pytest.raises(LaunchError, match="the text is no launch plan: Expecting property name"):
        emulator.load(snippets.kernel(""), "{\n")
    with pytest.raises(LaunchError, match=r"; a file is given as a pathlib\.Path$"):
        emulator.load(snippets.kernel(""), "plan.json")
    with pytest.raises(LaunchError, match="expected launch plans by entry symbol, got int"):
        emulator.load(snippets.kernel(""), "3")
    with pytest.raises(LaunchError, match="the text is no launch plan"):
        emulator.load(snippets.kernel(""), "[\n" * 100_000)


@pytest.mark.parametrize("text", ["", "nonsense", "one\ntwo", snippets.HEAD, "kernels.ptx"])
def test_texts_without_a_kernel(text: str) -> None:
    with pytest.raises(UnsupportedError, match=r"syntax: .*the text has no \.entry") as caught:
        emulator.load(text, snippets.plan())
    assert (caught.value.kind, caught.value.line) == ("syntax", 1)
    is_a_name = text in ("nonsense", "kernels.ptx")
    assert ("a file is given as a pathlib.Path" in str(caught.value)) == is_a_name


def test_no_kernels_and_no_plans() -> None:
    empty = tileir.compile(tileir.assemble(""), "sm_90")
    assert list(emulator.load(empty)) == []
    with pytest.raises(UnsupportedError, match=r"the text has no \.entry"):
        emulator.load("nonsense", {})


@pytest.mark.parametrize("given", [tileir.assemble(""), b"\x7fTileIR", 3, None])
def test_what_is_neither_a_compilation_nor_ptx(given: Any) -> None:
    kind = type(given).__name__
    with pytest.raises(TypeError, match=rf"or PTX as a str or a pathlib\.Path, got {kind}$"):
        emulator.load(given, snippets.plan())


def test_the_hosts_code_is_no_ptx() -> None:
    with pytest.raises(UnsupportedError, match="compile for a GPU"):
        emulator.load(tileir.compile(newest("vector_add")))


def test_global_variables_stay_until_they_are_reset() -> None:
    body = "atom.global.add.u32 %r5, [count], 1;\nst.global.b32 [%d0], %r5;"
    before = ".global .align 4 .u32 count = 5;\n"
    program = emulator.load(
        snippets.kernel(body, threads=1, before=before), snippets.plan(threads=1)
    )
    found = []
    for _ in range(2):
        for _ in range(2):
            z = np.zeros(1, np.int32)
            program["k"].launch(1, [z])
            found.append(int(z[0]))
        program.reset()
    assert found == [5, 6, 5, 6]


def test_the_heap_is_as_large_as_the_plan_says() -> None:
    """Sixteen blocks, of which each takes more than the heap has if no plan says anything."""
    text = """
      entry @k(%out: tile<ptr<i32>>) {
        %x, %y, %z = get_tile_block_id : tile<i32>
        %own = alloca num_elem = 524288, alignment = 4 global : tile<ptr<i32>>
        %a = store_ptr_tko weak %own, %x : tile<ptr<i32>>, tile<i32> -> token
        %b, %c = load_ptr_tko weak %own token = %a :
          tile<ptr<i32>> -> tile<i32>, token
        %to = offset %out, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %d = store_ptr_tko weak %to, %b token = %c : tile<ptr<i32>>, tile<i32> -> token
        return
      }
    """
    kernels = tileir.compile(tileir.assemble(text, version="13.5"), "sm_90")
    assert kernels.plan["k"]["heap"] >= 4 * 524288
    z = np.zeros(16, np.int32)
    emulator.load(kernels)["k"].launch(16, [z])
    np.testing.assert_array_equal(z, np.arange(16))
