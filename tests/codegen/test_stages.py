"""What stages tell: the same on every machine, parsable, and true of the code that comes out."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import NEWEST, ROOT
from tests.lab import bench
from tileir import Bytecode, UnsupportedError
from tileir.codegen.api import stages
from tileir.codegen.block.rows import ROWS
from tileir.codegen.block.text.reading import parsed
from tileir.codegen.block.tile_ops import ADDED
from tileir.codegen.pipeline import STAGES
from tileir.codegen.stage import Stage, report
from tileir.formats.ops.spec import Attribute

from .nvptx.emit import test_read_ahead

GOLDEN = ROOT / "tests" / "golden" / "stages"
BENCH = Path(bench.__file__).parent / "kernels"
CASES = [
    *((kernel, target) for kernel in ("vector_add", "softmax", "matmul_f16", "attention")
      for target in ("sm_80", "sm_90")),
    ("reduce_pair", "sm_80"), ("histogram", "sm_90"), ("transpose", "sm_80"),
    ("nested_loops", "sm_90"), ("scratch_memory", "sm_80"), ("most", "sm_90"),
    ("layer_norm", "host"), ("softmax", "host"),
]  # fmt: skip
"""Ten kernels and more: rings, reductions, atomics, conversions, control flow, fusion."""
EDITING = ("eliminate_dead_ops", "share_common_ops")
"""The first stages, behind which the kernel changes again."""
IN_TILE_IR = {
    "host": STAGES["host"][: STAGES["host"].index("emit_llvm")],
    "nvptx": STAGES["nvptx"][: STAGES["nvptx"].index("to_block_ir")],
}
"""Family -> the stages whose text is Tile IR."""


def module(name: str) -> Bytecode:
    """A fixture, a kernel of the benchmark, or the loop that reads ahead."""
    if name == "most":
        return tileir.assemble(test_read_ahead.text())
    if name in NEWEST:
        return Bytecode.parse(NEWEST[name].read_bytes())
    return tileir.assemble((BENCH / f"{name}.mlir").read_text())


def before_emission(target: str) -> str:
    """The last stage whose text is ours: that of LLVM changes between its releases."""
    names = STAGES["host" if target == "host" else "nvptx"]
    return names[names.index("emit_llvm") - 1]


@cache
def compiled(name: str, target: str) -> Any:
    """The whole compilation of a kernel."""
    return tileir.compile(module(name), target, cache=False)


def texts(name: str, target: str) -> dict[str, Stage]:
    """What the stages before emission say of a kernel."""
    recorded = compiled(name, target).stages
    names = [*recorded]
    return {each: recorded[each] for each in names[: names.index(before_emission(target)) + 1]}


@pytest.mark.parametrize(("name", "target"), CASES, ids=lambda each: each)
def test_golden(name: str, target: str, update: bool) -> None:
    """The text is that of another process."""
    recorded = report(texts(name, target).values())
    golden = GOLDEN / f"{name}.{target}.txt"
    if update:
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(recorded.encode())
    assert golden.read_bytes().decode() == recorded


def test_every_golden_has_its_case() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {f"{n}.{t}.txt" for n, t in CASES}


@pytest.mark.parametrize(("name", "target"), CASES, ids=lambda each: each)
def test_every_text_of_tile_ir_reads_back_as_the_kernel(name: str, target: str) -> None:
    found = {
        texts(name, target)[stage].text
        for stage in IN_TILE_IR["host" if target == "host" else "nvptx"]
        if stage not in EDITING
    }
    (plain,) = {tileir.disassemble(tileir.assemble(text)) for text in found}
    assert not re.search(r"^ *//", plain.partition("\n")[2], re.MULTILINE)


@pytest.mark.parametrize(("name", "target"), CASES, ids=lambda each: each)
def test_what_comes_last_is_what_compile_gives(name: str, target: str) -> None:
    whole = compiled(name, target)
    recorded = whole.stages
    assert [*recorded] == [*STAGES["host" if target == "host" else "nvptx"]]
    assert "\n".join(
        line for line in recorded["emit_llvm"].text.splitlines() if not line.startswith("; ")
    ).strip() == "\n".join(
        line for line in whole.llvm_ir.splitlines() if not line.startswith("; ")
    ).strip()  # fmt: skip
    assert whole.stages is recorded
    if target != "host":
        assert recorded["emit_ptx"].text == whole.ptx
        assert json.loads(recorded["describe_launch"].text) == whole.plan


@pytest.mark.parametrize(
    ("name", "target"), [case for case in CASES if case[1] != "host"], ids=lambda each: each
)
def test_remarks_are_true_of_the_code(name: str, target: str) -> None:
    """Barriers are counted in LLVM IR, bytes, threads and slots looked up in plan and PTX."""
    whole = compiled(name, target)
    recorded, (plan,) = whole.stages, whole.plan.values()
    said = {stage: [each.what for each in it.remarks] for stage, it in recorded.items()}
    entry = rf"^define .*@\"?{plan['entry']}\"?\(.*?^}}"
    code = re.search(entry, whole.llvm_ir, re.MULTILINE | re.DOTALL)[0]
    calls = len(re.findall(r"call void @\"?llvm\.nvvm\.barrier", code))
    turns = re.findall(r"^ +order_\w+$", recorded["unroll_loops"].text, re.MULTILINE)
    placed = sum(bool(re.match(r"barrier \d+ of", it)) for it in said["place_barriers"])
    assert placed + len(turns) == calls
    assert (
        f"{plan['dynamic_shared_memory']} bytes of shared memory in all" in said["allocate_memory"]
    )
    threads = [*said["choose_threads"][:1], *said["specialise_warps"][:1]]
    threads = [each for each in threads if " threads a block" in each]
    assert threads[-1].startswith(f"{plan['block'][0]} threads a block")
    rings = [re.match(r"ring of (\d+)", it) for it in said["pipeline_loops"]]
    waits = {int(each) for each in re.findall(r"cp\.async\.wait_group (\d+)", whole.ptx)}
    assert {int(each[1]) - 2 for each in rings if each} == waits
    for what in said["choose_atoms"]:
        assert what in whole.ptx
    by_ldmatrix = any("ldmatrix" in what for what in said["to_block_ir"])
    assert by_ldmatrix == ("ldmatrix" in whole.ptx)
    loads = re.findall(r"ld\.global(?:\.v(\d))?\.b32", whole.ptx)
    facts = [remark.facts for it in recorded.values() for remark in it.remarks]
    widths = {32 * int(count or 1) // 8 for count in loads}
    assert {width for width in widths if width > 4} <= {each.get("bytes") for each in facts}


ON_GPUS = [case for case in CASES if case[1] != "host"]


@pytest.mark.parametrize(("name", "target"), ON_GPUS, ids=lambda each: each)
def test_the_legend_is_of_what_the_text_has(name: str, target: str) -> None:
    """Ops and attributes that Tile IR does not have are explained if they are there."""
    text = texts(name, target)["unroll_loops"].text
    (kernel,) = parsed(text)
    lines = text.splitlines()
    explained = [
        line[5:25].strip() for line in lines if line.startswith("//   ") and line[5] != " "
    ]
    own = {row.mnemonic: row for row in ROWS}
    assert {each for each in explained if each in own} == {op.name for op in kernel.walk()} & {*own}
    code = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    slots = [slot for row in own.values() for slot in row.attributes]
    slots += [slot for added in ADDED.values() for slot in added if isinstance(slot, Attribute)]
    stated = {slot.name for slot in slots if re.search(rf"[ {{]{slot.name} = ", code)}
    assert {each.removesuffix(" = ..") for each in explained if each.endswith(" = ..")} == {
        *stated, *(word for word in ("ahead", "unroll") if f" {word} " in code),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["matmul_f16", "attention"])
def test_products_have_the_names_of_the_module(name: str) -> None:
    plain = tileir.disassemble(module(name))
    text = texts(name, "sm_80")["unroll_loops"].text
    products = re.findall(r"^ *(%\w+) = mmaf ", plain, re.MULTILINE)
    made = re.findall(r"^ *(%\w+) = mma (?!.* end = )", text, re.MULTILINE)
    assert products == made
    numbers = [int(each) for each in re.findall(r"^ *%(\d+)\b.* = ", plain, re.MULTILINE)]
    own = [int(each) for each in re.findall(r"^ *%(\d+)\b.* = ", text, re.MULTILINE)]
    later = [each for each in own if each > max(numbers)]
    assert len(later) == len({*later})


def test_the_schedule_of_a_loop_is_what_its_body_does() -> None:
    text = texts("matmul_f16", "sm_80")["unroll_loops"].text
    lines = text.splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("// schedule of "))
    body = [line.strip() for line in lines if " = mma " in line or "barrier " in line]
    schedule = [line.removeprefix("//").strip() for line in lines[first : first + 12]]
    names = [each.partition(" = ")[0] for each in body if each.startswith("%")]
    steps = [each.partition(" = ")[0] for each in schedule if " = mma" in each]
    assert steps == names
    slots, ahead = re.search(r"slots=(\d+)", text), re.search(r"\bahead (\d+)", text)
    assert slots is not None
    assert ahead is not None
    where = f"i+{ahead[1]}"
    assert any(each.startswith(f"start copies of {where} to slot ({where}) mod {slots[1]} of ")
               for each in schedule)  # fmt: skip
    assert any(each.startswith(f"wait for the copies of i to slot i mod {slots[1]} of ")
               for each in schedule)  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NEWEST)
@pytest.mark.parametrize("target", ["sm_100", "host"])
def test_of_every_kernel_something_is_told(name: str, target: str) -> None:
    """What has been decided about it reads back as the kernel itself."""
    try:
        last = IN_TILE_IR["host" if target == "host" else "nvptx"][-1]
        recorded = [*stages(module(name), target, until=last).values()]
    except UnsupportedError:
        assert (name, target) == ("multimem", "host")
        return
    edited = len(EDITING)
    first, last = (tileir.disassemble(tileir.assemble(recorded[at].text)) for at in (edited, -1))
    assert first == last


def test_a_stage_that_fails_does_not_hide_those_before_it() -> None:
    text = """
    entry @k(%p: tile<ptr<f32>>) {
      %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
      %v = make_partition_view %t : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
      %i = constant <i32: 0> : tile<i32>
      %x, %r = load_view_tko weak %v[%i] : partition_view<tile=(64),
        tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
      return
    }"""
    bytecode = tileir.assemble(text)
    options = {"num_warps": 32, "minnctapersm": 32}
    with pytest.raises(UnsupportedError, match="32 blocks at a time"):
        stages(bytecode, "sm_90", **options)
    assert [*stages(bytecode, "sm_90", until="settle_launch", **options)][-1] == "settle_launch"


@pytest.mark.parametrize("name", ["attention", "nested_loops", "softmax", "most"])
def test_values_are_called_as_in_the_module(name: str) -> None:
    """All of Tile IR, and of block IR what is still there, or made of what was there."""
    defined = re.compile(r"^ *(%[^=]+) = (\w+)", re.MULTILINE)
    recorded = texts(name, "sm_80")
    plain = {*defined.findall(tileir.disassemble(module(name)))}
    assert {*defined.findall(recorded["assign_layouts"].text)} <= plain
    became = {"mma": "mmaf", "fold": "reduce", "pipelined_for": "for"}
    found = {(names, became.get(op, op)) for names, op in
             defined.findall(recorded["unroll_loops"].text)}  # fmt: skip
    kept = [(names, op) for names, op in plain if op in {*became.values(), "load_ptr_tko"}]
    assert {*kept} <= found


def test_an_unknown_stage() -> None:
    with pytest.raises(UnsupportedError, match="no stage 'fuze', did you mean fuse"):
        stages(module("vector_add"), "host", until="fuze")


def test_from_the_cache_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path))
    fresh = tileir.compile(module("softmax"), "host")
    kept = tileir.compile(module("softmax"), "host")
    assert len([*tmp_path.iterdir()]) == 1
    assert {name: str(stage) for name, stage in kept.stages.items()} == {
        name: str(stage) for name, stage in fresh.stages.items()
    }


def test_remarks_know_where_their_op_is_in_source() -> None:
    recorded = stages(module("softmax"), "sm_90", until="to_block_ir")
    (load, *_) = recorded["to_block_ir"].remarks
    assert load.op.name == "load_view_tko"
    assert load.location == load.op.location
    assert str(load.location).endswith("folding.py:97:11")
    assert load.stage == "to_block_ir"
    assert load.entry == "softmax"


def test_several_kernels_are_told_apart() -> None:
    bytecode = module("two_entries")
    names = [function.name for function in bytecode.functions]
    recorded = stages(bytecode, "sm_90", until="choose_threads")
    assert re.findall(r"^// @(\w+)$", recorded["choose_threads"].excerpt, re.MULTILINE) == names
    one = stages(bytecode, "sm_90", until="choose_threads", symbols=names[1])
    assert {each.entry for each in one["choose_threads"].remarks} == {names[1]}
