"""The text of block IR: what is printed parses back to the same, and bad text is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tileir import Bytecode
from tileir.codegen.block.rows import ROWS
from tileir.codegen.block.text.aliases import AliasNames
from tileir.codegen.block.text.printing import printed
from tileir.codegen.block.text.reading import parsed
from tileir.codegen.fresh import compile_fresh
from tileir.codegen.kernel import KernelIR
from tileir.codegen.kernel_diagnostics import kernel_diagnostics
from tileir.codegen.pipeline import STAGES
from tileir.errors import AssemblyError
from tileir.ir import Block

SAMPLE = (Path(__file__).parent / "sample.txt").read_text()
"""Every row of the dialect's own, every type, and slots that it adds to rows of Tile IR."""

FIXTURES = Path(__file__).parents[4] / "fixtures" / "13.4"


def content(kernel: KernelIR) -> list:
    """Return all of a body that can be compared: values by their numbers."""
    numbers: dict = {}
    found: list = []

    def add(block: Block) -> None:
        for value in block.arguments:
            numbers[value] = len(numbers)
        found.append([value.type for value in block.arguments])
        for op in block.ops:
            operands = {
                slot: tuple(map(numbers.get, value)) if isinstance(value, tuple)
                else numbers.get(value)
                for slot, value in op.operands.items()
            }  # fmt: skip
            types = [value.type for value in op.results]
            found.append((op.spec, operands, dict(op.attributes), types))
            for value in op.results:
                numbers[value] = len(numbers)
            for region in op.regions:
                for inner in region.blocks:
                    add(inner)

    add(kernel.body.block)
    return found


def test_a_text_by_hand_prints_as_it_is() -> None:
    kernels = parsed(SAMPLE)
    assert printed(kernels) == SAMPLE
    assert {row.mnemonic for row in ROWS} <= {op.name for k in kernels for op in k.body.walk()}
    assert [kernel_diagnostics(kernel) for kernel in kernels] == [[]] * len(kernels)


@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
@pytest.mark.parametrize("name", ["matmul", "softmax", "running_sum", "print_values", "histogram"])
def test_every_stage_parses_back(name: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILEIR_VERIFY", raising=False)  # the same verifier is asked here
    stages = STAGES["nvptx"]
    own = stages[stages.index("to_block_ir") : stages.index("emit_llvm")]
    names, seen = AliasNames(), []

    def after(stage: str, state) -> None:
        if stage not in own:
            return
        kernels = [each.kernel for each in state.kernels]
        text = printed(kernels, names)
        back = parsed(text)
        assert list(map(content, back)) == list(map(content, kernels))
        assert printed(back, names) == text
        assert [kernel_diagnostics(kernel) for kernel in kernels] == [[]] * len(kernels)
        seen.append(stage)

    bytecode = Bytecode.parse((FIXTURES / f"{name}.tileirbc").read_bytes())
    nothing = {"symbols": None, "checks": [], "trace": [], "launch": {}}
    more = {"lineinfo": False, "portable": False}
    compile_fresh(bytecode, target, **nothing, **more, after_stage=after, until=own[-1])
    assert tuple(seen) == own


def test_layouts_keep_their_names_in_later_texts() -> None:
    kernels, names = parsed(SAMPLE), AliasNames()
    last = printed(kernels[1:2], names)
    assert printed(kernels[1:2], names) == last
    assert "#l0 = layout<64: " in last
    assert "#l0" not in printed(kernels[2:], names)  # it is not used there
    assert "#l0 = layout<64x64: " in printed(kernels)


HEAD = "block_module @kernels {\n"
L64 = "#l0 = layout<64: lane 1 2 4 8 16, warp 32>\n"


def with_body(body: str, definitions: str = L64) -> str:
    return f"{HEAD}{definitions}entry @k(%n: tile<i32>) {{\n{body}\nreturn\n}}\n}}\n"


BAD = {
    with_body("%0 = constant <f32: 1.0> : frag<64xf32, #l1>"): "#l1 is not defined",
    with_body("%0 = constant <f32: 1.0> : frag<32xf32, #l0>"): (
        "a layout of 64 for a tile of 32"
    ),
    with_body("%0 = constant <f32: 1.0> : frag<64xf32, #l0, 2>"): "expected '>', found ','",
    with_body("%0 = constant <f32: 1.0> : frag<64xf32>"): "expected ',', found '>'",
    with_body("%0 = constant <f32: 1.0> : frug<64xf32, #l0>"): (
        "there is no type 'frug', did you mean frag?"
    ),
    with_body("", "#l0 = layout<64: lane 1 2 4 8 16, warp 64>\n"): "the base 64 is outside of 64",
    with_body("", "#l0 = layout<8x8: lane (1,0,0)>\n"): "3 coordinates in a tile of rank 2",
    with_body("", "#l0 = layout<8x8: lane 3>\n"): "expected a base such as (0,0), or -, found '3'",
    with_body("", "#l0 = layout<8x8: lone (1,0)>\n"): (
        "expected 'register', 'lane', 'warp' or 'block', found 'lone'"
    ),
    with_body("", "#l0 = layout<8x6: lane (1,0)>\n"): "an extent is not a power of two",
    with_body("", "#s0 = offsets<8: 1 2>\n"): "2 offsets for 3 bits of elements",
    with_body("%0 = iota : frag<8xi32, #l0>", "#l0 = offsets<8: 1 2 4>\n"): "#l0 is not a layout",
    with_body("%0 = constant <f32: 1.0> : frag<64xf32, layout<64: lane 1 2 4 8 16>>"): (
        "no thread has some of the elements"
    ),
    with_body("%0 = shared_alloc : shared<8xf32, offsets<8: 1 2 4>, slots=0>"): "number of slots",
    with_body("%0 = shared_alloc : flight<tile<i32>>"): (
        "a flight is of tiles in shared memory or registers, not tile<i32>"
    ),
    with_body("%0 = shared_alloc : turn<2>"): "must be variadic of shared, but got 'turn<2>'",
    with_body("%0 = iota : frag<64xi32, #l0>\n%1 = reduce %0 dim=0"): "there is no op 'reduce'",
    with_body("%0 = iota : frag<64xi32, #l0>\n%1 = addi %0, %n : frag<64xi32, #l0>"): (
        "%n is tile<i32>, but frag<64xi32, layout<64: lane 1 2 4 8 16, warp 32>> is stated"
    ),
    with_body("%x, %y, %z = get_tile_block_id : tile<i32> {clasters}"): (
        "get_tile_block_id has no clasters here, did you mean clusters?"
    ),
    with_body("%x, %y, %z = get_tile_block_id : tile<i32> {clusters, clusters}"): (
        "clusters is there twice"
    ),
    with_body(
        "%0 = shared_alloc : shared<8xf32, offsets<8: 1 2 4>, slots=3>\n"
        "%1 = first_turn %0 : shared<8xf32, offsets<8: 1 2 4>, slots=3> -> turn<2>"
    ): "turn<2> with a ring of 3 slots",
    with_body(
        "%0 = iota : frag<64xi32, #l0>\n"
        "%1 = fold %0 dim = 0 over = [5] : frag<64xi32, #l0> -> tile<i32>"
        " (%a: tile<i32>, %b: tile<f32>) {\nyield %a : tile<i32>\n}"
    ): "%b of fold is to be tile<i32>, but tile<f32> is stated",
    with_body(
        "pipelined_for %i in (%n to %n, step %n) : tile<i32> ahead 1\n"
        "prologue (%j: tile<i32>, %e: tile<i1>) {\nyield %n : tile<i32>\n}"
        " body (%k: tile<i32>, %f: tile<i1>) {\ncontinue\n}"
    ): "the body takes tile<i32>, tile<i32>, tile<i1>, tile<i32>, found tile<i32>, tile<i32>",
}  # fmt: skip
"""Text -> a part of its first problem."""


@pytest.mark.parametrize(("text", "problem"), BAD.items(), ids=range(len(BAD)))
def test_bad_text_is_refused_where_it_is_bad(text: str, problem: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        parsed(text)
    assert problem in caught.value.problems[0].message
    assert caught.value.problems[0].line > 1


def test_a_bad_layout_is_reported_once() -> None:
    uses = "\n".join(f"%{n} = iota : frag<64xi32, #l0>" for n in range(3))
    with pytest.raises(AssemblyError) as caught:
        parsed(with_body(uses, "#l0 = layout<64: lane 77>\n"))
    assert len(caught.value.problems) == 1


SPOILED = {
    ("turn<3>\n  %2", "turn<2>\n  %2"): "turn<2> with a ring of 3 slots",
    ("over = [0, 1, 2, 3, 4, 5]", 'over = ["0"]'): "expected a number",
    ("[%delayed1] pending = 1", "[%delayed1]"): "expected 'pending'",
    ("working = 1 registers = 40", "working = 1"): "expected 'registers'",
    ("-> frag<8xf32, #l2> (%lhs", "-> shared<8xf32, offsets<8: 1 2 4>> (%lhs"): "must be",
}
"""A change of the sample -> a part of what is said about it."""


@pytest.mark.parametrize(("change", "problem"), SPOILED.items(), ids=range(len(SPOILED)))
def test_a_spoiled_sample_is_refused(change: tuple[str, str], problem: str) -> None:
    assert SAMPLE.count(change[0]) == 1, "the sample has changed"
    with pytest.raises(AssemblyError, match=re.escape(problem)):
        parsed(SAMPLE.replace(*change))
