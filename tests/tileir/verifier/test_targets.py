"""What tileiras refuses for a GPU is what the table says, on both sides of every boundary."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.tileir.every_op import ATOMIC, ones
from tileir import Bytecode, verify
from tileir.builder import Module
from tileir.builder.kernel import Kernel
from tileir.gpus import GPUS, TARGETS, TILEIRAS


def refused(data: bytes, gpu: str) -> list:
    """What we say that tileiras refuses."""
    return [one for one in verify(data, gpu) if one.rule == "tileiras-gate"]


def boundaries(data: bytes) -> list[str]:
    """The first GPU, the last one, and both sides of every place where we change our mind."""
    found = {TILEIRAS[0], TILEIRAS[-1]}
    for pair in pairwise(TILEIRAS):
        if len({bool(refused(data, gpu)) for gpu in pair}) > 1:
            found.update(pair)
    return sorted(found, key=TILEIRAS.index)


def converting(element: str):
    """A conversion to an element type."""
    mode = "zero" if element == "f8E8M0FNU" else "nearest_even"
    return lambda kernel: kernel.ftof(
        ones(kernel, "16xf32"), rounding_mode=mode, result=f"16x{element}"
    )


def multicast(kernel: Kernel) -> None:
    number = kernel.ptr_to_int(kernel.parameters[0])
    kernel.int_to_ptr(number, result="ptr<f32, multicast>")


def adding(kernel: Kernel) -> None:
    pointer = kernel.ptr_to_ptr(kernel.parameters[0], result="ptr<bf16>")
    kernel.atomic_rmw_tko(pointer, ones(kernel, "bf16"), mode="addf", **ATOMIC)


ELEMENTS = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "fnv8E5M3FNU", "tf32")
CASES = {**{name: converting(name) for name in ELEMENTS}, "multicast": multicast, "addf": adding}


def module(name: str) -> bytes:
    """A module that uses the feature."""
    made = Module("13.5")
    kernel = made.function("main", ["ptr<f32>"])
    CASES[name](kernel)
    kernel.return_()
    return made.build()


@pytest.mark.oracle
@pytest.mark.parametrize("name", CASES)
def test_tileiras_refuses_what_we_say(name: str, tool, tmp_path: Path) -> None:
    path = tmp_path / "module.tileirbc"
    path.write_bytes(module(name))
    for gpu in boundaries(path.read_bytes()):
        done = tool("tileiras", "--gpu-name", gpu, path, "-o", tmp_path / "out")
        ours = refused(path.read_bytes(), gpu)
        assert bool(ours) == (done.returncode != 0), gpu
        if ours:
            who, _, words = ours[0].message.partition(": ")
            assert who == "tileiras 13.5 refuses this"
            assert words in done.stderr.decode()


@pytest.mark.parametrize("name", CASES)
def test_a_gpu_before_those_of_tileiras_has_no_more_than_its_first(name: str) -> None:
    first = [one.message for one in verify(module(name), TILEIRAS[0])]
    before = [one.message for one in verify(module(name), "sm_75")]
    other = "has no sm_75, and refuses this for sm_80:"
    assert before == [message.replace("refuses this:", other) for message in first]
    assert bool(before) == (name != "tf32")
    assert verify(module(name), "host") == []


@pytest.mark.parametrize("gpu", GPUS)
def test_only_multicast_memory_cannot_be_compiled_some_other_way(gpu: str) -> None:
    """What the explanation of the rule says of `compile`."""
    pytest.importorskip("llvmlite")
    from tileir.codegen.nvptx import why_not

    for path in sorted((FIXTURES / "13.5").glob("*.tileirbc")):
        for function in Bytecode.parse(path.read_bytes()).functions:
            for op in function.walk():
                lacking = op.name.startswith("multimem") and gpu < "sm_90" and len(gpu) == 5
                assert bool(why_not(op, gpu)) == lacking, (path.stem, op)


@pytest.mark.parametrize("name", CASES)
def test_a_form_of_a_gpu_is_that_gpu(name: str) -> None:
    """tileiras knows no sm_90a: the words are those for sm_90."""
    for row in TARGETS.values():
        form, plain = (verify(module(name), target) for target in (row.name, row.gpu))
        assert [str(one) for one in form] == [str(one) for one in plain]
