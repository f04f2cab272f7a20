"""What the PTX says: its head, its signature, how wide it reads and writes."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.corpus import FIXTURES
from tileir import assemble
from tileir.attributes import DivBy
from tileir.bytecode import Bytecode
from tileir.codegen import compile, emulator
from tileir.gpus import TARGETS

from ..build import TOKEN, Kernel, elementwise
from .compiled import ELEMENTWISE, compiled

ACCESS = re.compile(r"(ld|st)\.global((?:\.v[24])?\.b\d+)")


def accesses(ptx: str) -> dict[str, int]:
    """How often each kind of access to global memory is there."""
    found: dict[str, int] = {}
    for match in ACCESS.finditer(ptx):
        found[match[0]] = found.get(match[0], 0) + 1
    return found


@pytest.mark.parametrize("row", TARGETS.values(), ids=lambda row: row.name)
def test_the_head_names_version_and_target(row) -> None:
    ptx = compiled("vector_add", row.name).ptx
    major, minor = row.ptx
    assert f"\n.version {major}.{minor}\n.target {row.ptx_target}\n" in ptx
    assert ".address_size 64" in ptx


def test_the_entry_has_the_parameters_of_tile_ir() -> None:
    ptx = compiled("fma_scalar").ptx
    head = re.search(
        r"\.visible \.entry fma_scalar\(\n(.*?)\n\)\n\.reqntid 128, 1, 1\n", ptx, re.DOTALL
    )
    kinds = re.findall(r"\.param \.(\w+) fma_scalar_param_(\d+)", head[1])
    array = ["u64", "u32", "u32"]
    assert [kind for kind, _ in kinds] == [*array * 3, "u32"]
    assert [int(number) for _, number in kinds] == list(range(10))


def test_accesses_are_128_bits_wide_where_the_extent_is_divisible() -> None:
    assert accesses(compiled("vector_add_aligned").ptx) == {
        "ld.global.v4.b32": 4,
        "st.global.v4.b32": 2,
    }
    assert "bra" not in compiled("vector_add_aligned").ptx


def test_ragged_tiles_branch_once_per_op() -> None:
    ptx = compiled("vector_add").ptx
    assert accesses(ptx) == {
        "ld.global.v4.b32": 4,
        "ld.global.b32": 16,
        "st.global.v4.b32": 2,
        "st.global.b32": 8,
    }
    assert len(re.findall(r"@%p\d+ bra", ptx)) == 3


def test_wide_elements_fill_an_access_too() -> None:
    found = accesses(compiled("vector_add_f64").ptx)
    assert found["ld.global.v2.b64"] == 8
    assert found["st.global.v2.b64"] == 4


def test_unknown_strides_give_single_predicated_accesses() -> None:
    ptx = compiled("scaled_copy").ptx
    assert accesses(ptx) == {"ld.global.b32": 4, "st.global.b32": 4}
    assert len(re.findall(r"@%p\d+ (?:ld|st)\.global", ptx)) == 8


def test_no_barrier_where_threads_keep_to_themselves() -> None:
    for name in ELEMENTWISE:
        assert "bar.sync" not in compiled(name).ptx


def copied(element: str, size: int) -> str:
    """The PTX of a kernel that copies one tile of an aligned array."""
    kernel = Kernel("copy", f"ptr<{element}>", f"ptr<{element}>")
    views = []
    for pointer in kernel.parameters:
        aligned = kernel.op("assume", pointer, results=[f"ptr<{element}>"], predicate=DivBy(16))
        views.append(kernel.view(aligned, [size], [size]))
    kernel.store(kernel.load(views[0], *kernel.zeros(1)), views[1], *kernel.zeros(1))
    return compile(kernel.module(), "sm_80").ptx


@pytest.mark.parametrize(
    ("element", "wide"),
    [("i8", "v4.b32"), ("f16", "v4.b32"), ("bf16", "v4.b32"), ("i64", "v2.b64")],
)
def test_small_elements_are_packed_into_words(element: str, wide: str) -> None:
    assert set(accesses(copied(element, 4096))) == {f"ld.global.{wide}", f"st.global.{wide}"}


@pytest.mark.parametrize(("size", "wide"), [(128, "b16"), (256, "b32"), (1024, "v4.b32")])
def test_all_threads_have_some_of_a_small_tile(size: int, wide: str) -> None:
    assert accesses(copied("bf16", size)) == {f"ld.global.{wide}": 1, f"st.global.{wide}": 1}


@pytest.mark.parametrize("flushed", [False, True])
@pytest.mark.parametrize(("op", "mode"), [("divf", "approx"), ("divf", "full"), ("sqrt", "approx")])
def test_fast_modes_are_one_instruction(op: str, mode: str, flushed: bool) -> None:
    operands = ["f32"] * (2 if op == "divf" else 1)
    attributes = {"rounding_mode": mode, "flush_to_zero": flushed}
    ptx = compile(elementwise(op, operands, "f32", 128, **attributes), "sm_80").ptx
    name = f"{op.removesuffix('f')}.{mode}{'.ftz' if flushed else ''}.f32"
    assert len(re.findall(rf"\b{re.escape(name)} ", ptx)) == 1
    assert not re.search(r"\b(div|sqrt)\.rn|mul\.ftz", ptx)


def test_without_alignment_accesses_are_single() -> None:
    kernel = Kernel("copy", "ptr<f32>", "ptr<f32>")
    views = [kernel.view(pointer, [1024], [1024]) for pointer in kernel.parameters]
    kernel.store(kernel.load(views[0], *kernel.zeros(1)), views[1], *kernel.zeros(1))
    assert set(accesses(compile(kernel.module(), "sm_80").ptx)) == {
        "ld.global.b32",
        "st.global.b32",
    }


def test_inbounds_needs_no_predicate() -> None:
    ptx = compiled("unchecked_tiles").ptx
    assert re.search(r"\n\tld\.global", ptx)
    assert not re.search(r"@%p\d+ ld\.global", ptx)


def test_distances_too_long_for_an_instruction_are_added_before() -> None:
    kernel = Kernel("rows", "ptr<f32>", "ptr<f32>")
    views = [kernel.view(p, [4, 64], [4, 64], strides=[1 << 30, 1]) for p in kernel.parameters]
    kernel.store(kernel.load(views[0], *kernel.zeros(2)), views[1], *kernel.zeros(2))
    ptx = compile(kernel.module(), "sm_90").ptx
    assert re.search(r"add\.s64 \s*%rd\d+, %rd\d+, 8589934592;", ptx)
    assert all(int(number) < 2**31 for number in re.findall(r"\[%rd\d+\+(\d+)\]", ptx))


def test_only_one_thread_writes_a_scalar() -> None:
    kernel = Kernel("one", "ptr<f32>", "f32")
    pointer, value = kernel.parameters
    kernel.op("store_ptr_tko", pointer, value, results=[TOKEN], memory_ordering_semantics="weak")
    ptx = compile(kernel.module(), "sm_80").ptx
    assert re.search(r"setp\.eq\.b32\s+(%p\d+), %r\d+, 0;.*@\1 st\.global\.b32", ptx, re.DOTALL)


def test_constants_of_many_values_become_a_table() -> None:
    kernel = Kernel("primes", "ptr<i32>")
    table = kernel.constant("8xi32", 2, 3, 5, 7, 11, 13, 17, 19)
    kernel.store(table, kernel.view(kernel.parameters[0], [8], [8]), *kernel.zeros(1))
    ptx = compile(kernel.module(), "sm_80").ptx
    assert re.search(r"\.global \.align 4 \.b8 primes\$table\d+\[32\] = \{2, 0, 0, 0, 3,", ptx)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_compiling_twice_gives_the_same_bytes(name: str) -> None:
    data = (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()
    first, second = (compile(Bytecode.parse(data), "sm_90") for _ in range(2))
    assert first.ptx == second.ptx
    assert first.llvm_ir == second.llvm_ir
    assert first.plan == second.plan


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_every_version_of_a_file_gives_the_same_code(name: str) -> None:
    ptx = {compiled(name, "sm_90", v).ptx for v in ("13.1", "13.2", "13.3", "13.4")}
    assert len(ptx) == 1


def test_two_entries_share_a_module() -> None:
    both = compiled("two_entries")
    assert re.findall(r"\.entry (\w+)\(", both.ptx) == list(both)
    assert list(both.plan) == list(both)


@pytest.mark.parametrize(("target", "fused"), [("sm_90", 0), ("sm_100", 2), ("sm_120", 2)])
def test_integers_between_zero_and_a_limit(target: str, fused: int) -> None:
    """Newer GPUs do it in one instruction, which the emulator has to know."""
    text = """
        entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %a: tile<i32>, %b: tile<i32>) {
          %zero = constant <i32: 0> : tile<i32>
          %less = mini %a, %b signed : tile<i32>
          %x = maxi %less, %zero signed : tile<i32>
          %more = maxi %a, %b signed : tile<i32>
          %y = maxi %more, %zero signed : tile<i32>
          %s = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
          %t = store_ptr_tko weak %q, %y : tile<ptr<i32>>, tile<i32> -> token
          return
        }"""
    module = compile(assemble(text), target)
    assert len(re.findall(r"\b(?:min|max)\.relu\.s32", module.ptx)) == fused
    for a, b in ((-5, 7), (5, 7), (-5, -7), (9, -(2**31))):
        x, y = np.full((2, 1), -1, np.int32)
        emulator.launch(module.ptx, module.plan["k"], 1, [x, y, a, b])
        assert (x[0], y[0]) == (max(min(a, b), 0), max(a, b, 0))
