"""Launches: arguments, grids, what is counted, what stays between launches."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, kernel, plan, run
from tileir.codegen.emulator import SCHEDULES, EmulationError, Module, launch

ADD = "atom.global.add.u32 %r5, [%d0], 1;"


def test_a_grid_that_is_empty_runs_nothing() -> None:
    z = np.zeros(1, np.int32)
    found = run(ADD, z, blocks=0)
    assert (z[0], found.thread_instructions.total()) == (0, 0)


def test_more_blocks_than_run_together() -> None:
    z = np.zeros(1, np.int32)
    found = run(ADD, z, blocks=(7, 10, 11))
    assert z[0] == 770 * THREADS
    assert found.thread_instructions["atom.global.add.u32"] == 770 * THREADS
    assert found.warp_instructions["atom.global.add.u32"] == 770 * THREADS // 32


def test_what_is_counted() -> None:
    body = "setp.lt.u32 %p1, %r0, 40;\n@!%p1 bra J;\nadd.s32 %r2, %r0, 1;\nadd.s32 %r2, %r2, 1;\nJ:"
    for schedule in SCHEDULES:
        found = run(body, np.zeros(1), schedule=schedule)
        assert found.thread_instructions["add.s32"] == 2 * 40
        assert found.warp_instructions["add.s32"] == 2 * 2
        assert found.thread_instructions["ret"] == THREADS
        assert found.thread_instructions["bra"] == THREADS


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_float_arguments(kind: type) -> None:
    bits = 8 * np.dtype(kind).itemsize
    letter = {16: "h", 32: "r", 64: "d"}[bits]
    name = {np.float16: "f16", ml_dtypes.bfloat16: "bf16"}.get(kind, f"f{bits}")
    kinds = ("u64", f"b{bits}")
    text = kernel(
        f"ld.param.b{bits} %{letter}5, [p1];\nst.global.b{bits} [%d0], %{letter}5;", kinds
    )
    launched = plan(kinds)
    launched["parameters"][1]["type"] = name
    z = np.zeros(1, kind)
    launch(text, launched, 1, [z, 1.5])
    assert z[0] == 1.5


def test_global_variables_of_a_module_keep_their_values() -> None:
    body = "atom.global.add.u32 %r5, [count], 1;\nst.global.b32 [%d0], %r5;"
    text = kernel(body, threads=1, before=".global .align 4 .u32 count = 5;\n")
    z = np.zeros(1, np.int32)
    for _ in range(2):
        launch(text, plan(threads=1), 1, [z])
        assert z[0] == 5
    module = Module(text)
    for expected in (5, 6, 7):
        launch(module, plan(threads=1), 1, [z])
        assert z[0] == expected
    module.reset()
    launch(module, plan(threads=1), 1, [z])
    assert z[0] == 5


@pytest.mark.parametrize(
    ("change", "args", "message"),
    [
        ({"entry": "other"}, 1, "no entry other"),
        ({"block": [32, 1, 1]}, 1, "blocks of"),
        ({"parameters": []}, 1, "0 in the plan"),
        ({}, 2, "2 given"),
        ({"parameters": [{"index": 0, "type": "i32", "size": 4, "offset": 0}]}, 1, "elsewhere"),
    ],
)
def test_plans_that_do_not_fit(change: dict, args: int, message: str) -> None:
    with pytest.raises(EmulationError, match=message) as caught:
        launch(kernel(ADD), {**plan(), **change}, 1, [np.zeros(1, np.int32)] * args)
    assert caught.value.kind == "launch"


@pytest.mark.parametrize(
    ("kind", "argument", "message"),
    [
        ("ptr<i32>", "x", "'str' object cannot be interpreted as an integer"),
        ("ptr<i32>", 1.0, "'float' object cannot be interpreted as an integer"),
        ("ptr<i32>", -4, "can't convert negative int to unsigned"),
        ("ptr<i32>", np.zeros(1), "expected elements of 4 bytes, got an array of float64"),
        ("ptr<f16, <unicast>>", np.zeros(1, np.int8), "expected elements of 2 bytes, got .* int8"),
        ("i64", "x", "'str' object cannot be interpreted as an integer"),
        ("i64", 1 << 64, f"{1 << 64} is not within {-(1 << 63)} to {(1 << 64) - 1}"),
        ("i64", -(1 << 63) - 1, f"{-(1 << 63) - 1} is not within"),
        ("i1", 2, "2 is not within -1 to 1"),
        ("f64", "x", "expected a number, got str 'x'"),
    ],
)
def test_arguments_that_do_not_fit(kind: str, argument: Any, message: str) -> None:
    launched = plan()
    launched["parameters"][0]["type"] = kind
    with pytest.raises(EmulationError) as caught:
        launch(kernel(ADD), launched, 1, [argument])
    assert caught.value.kind == "launch"
    assert re.search(rf"parameter 0 \({kind}\): {message}", str(caught.value))


@pytest.mark.parametrize("number", [-(1 << 31), -1, 0, (1 << 31) - 1, 1 << 31, (1 << 32) - 1])
def test_numbers_of_either_sign(number: int) -> None:
    body, kinds = "ld.param.b32 %r5, [p1];\nst.global.b32 [%d0], %r5;", ("u64", "b32")
    z = np.zeros(1, np.uint32)
    run(body, z, number, parameters=kinds)
    assert z[0] == number & 0xFFFFFFFF
    with pytest.raises(EmulationError, match=r"parameter 1 \(i32\): .* is not within"):
        run(body, z, number + (1 << 33), parameters=kinds)


def test_arrays_that_are_read_only() -> None:
    x, z = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    x.flags.writeable = False
    copy = "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\nld.global.b32 %r5, [%d0+4];\n{} [%d{}+4], %r5;"
    run(copy.format("st.global.b32", 1), x, z)
    assert z[1] == 1
    for change in ("st.global.b32", "red.global.add.u32"):
        for args in ((x, z), (x, z, x), (x, x.ctypes.data)):
            with pytest.raises(EmulationError, match="a read-only array") as caught:
                run(copy.format(change, len(args) - 1 if len(args) > 2 else 0), *args)
            assert (caught.value.kind, caught.value.address) == ("bounds", x.ctypes.data + 4)
    part = z[1:3]
    part.flags.writeable = False
    run(copy.format("st.global.b32", 0).replace("], %r5;", "], 3;"), part, z[2:])
    assert z.tolist() == [0, 1, 3, 0]
    with pytest.raises(EmulationError, match="a read-only array"):
        run(copy.format("st.global.b32", 0), part, z[:2])


@pytest.mark.parametrize("kind", ["i32", "f32", "tf32"])
def test_arrays_of_elements_of_the_same_size(kind: str) -> None:
    launched = plan()
    launched["parameters"][0]["type"] = f"ptr<{kind}>"
    z = np.zeros(1, np.uint32)
    launch(kernel(ADD), launched, 1, [z])
    assert z[0] == THREADS


@pytest.mark.parametrize(
    ("grid", "message"),
    [("x", "must be integers"), ((1,) * 4, "1 to 3 extents"), (-1, "not within"), (11, "at most")],
)
def test_grids_that_cannot_be(grid: Any, message: str) -> None:
    with pytest.raises(EmulationError, match=message) as caught:
        launch(kernel(ADD), plan() | {"grid_limits": [10, 1, 1]}, grid, [np.zeros(1, np.int32)])
    assert caught.value.kind == "launch"


@pytest.mark.parametrize("name", ["k", "entry"])
def test_the_plans_of_all_kernels(name: str) -> None:
    with pytest.raises(EmulationError, match=f"expected the plan of one kernel, .* '{name}'") as e:
        launch(kernel(ADD), {name: plan()}, 1, [np.zeros(1, np.int32)])
    assert e.value.kind == "launch"


def test_schedules_that_do_not_exist() -> None:
    with pytest.raises(EmulationError, match="no schedule 'backwards'"):
        run(ADD, np.zeros(1, np.int32), schedule="backwards")


def test_an_error_tells_everything() -> None:
    body = "setp.eq.u32 %p1, %r0, 9;\n@%p1 ld.global.b32 %r5, [%d0+400];"
    z = np.zeros(100, np.int32)
    with pytest.raises(EmulationError) as caught:
        run(body, z, blocks=(2, 3), schedule="random-7")
    found = caught.value
    assert found.kind == "bounds"
    assert (found.block, found.threads, found.schedule) == ((0, 0, 0), (9,), "random-7")
    assert found.address == z.ctypes.data + 400
    for part in ("read of 4 bytes", f"{found.address:#x}", "PTX line", "@%p1 ld.global.b32",
                 "it begins where the nearest memory ends, ",
                 "block (0, 0, 0), thread 9", "random-7"):  # fmt: skip
        assert part in str(found)


@pytest.mark.parametrize(
    ("offset", "told"),
    [
        (400, "right behind the 400 bytes of parameter 0"),
        (500, "100 bytes behind the 400 bytes of parameter 0"),
        (-8, "8 bytes before the 400 bytes of parameter 0"),
    ],
)
def test_an_error_tells_whose_memory_is_near(offset: int, told: str) -> None:
    with pytest.raises(EmulationError) as caught:
        run(f"ld.global.b32 %r5, [%d0+{offset}];", np.zeros(100, np.int32))
    assert str(caught.value).endswith(f"\n  {told}")


def test_an_error_tells_whose_memory_it_is() -> None:
    with pytest.raises(EmulationError, match=r"^race: ") as caught:
        run("st.global.b32 [%d0+8], %r0;", np.zeros(100, np.int32))
    assert str(caught.value).endswith("\n  byte 8 of the 400 bytes of parameter 0")


def test_an_error_far_from_all_memory_tells_of_none() -> None:
    with pytest.raises(EmulationError, match=r"^bounds: ") as caught:
        run("ld.global.b32 %r5, [%d0+4000];", np.zeros(100, np.int32))
    assert "parameter" not in str(caught.value)
