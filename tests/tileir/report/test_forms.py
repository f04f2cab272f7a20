"""The forms of a kernel: its stages, machine code of both compilers, what lines cost, frames."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import tileir
from tests.corpus import NEWEST
from tests.programs import call
from tests.tileir.report.test_kernels import MARKED, MATMUL, TARGET, by_marks, printed
from tileir.__main__ import main
from tileir.ir.locations import CallSite, CompileUnit, File, SourceLocation, Subprogram
from tileir.report import kernels as kernels_module
from tileir.report.cost import cost_of
from tileir.report.frames import DEEPEST, Frames
from tileir.report.kernels import kernels
from tileir.report.model import model
from tileir.report.stages import OF_ROW, stages_of
from tileir.resources.loops import innermost
from tileir.resources.machine_code import functions
from tileir.resources.of_kernels import resources_of
from tileir.resources.report import as_json
from tileir.tools import nvidia

OPS = [op for function in tileir.load(MATMUL).functions for op in function.walk()]
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/ ")


@cache
def stages() -> dict:
    """The stages of a matrix product."""
    return stages_of(tileir.load(MATMUL), "matmul", TARGET, 0)


def text_after(found: dict, name: str) -> list[tuple[str, int]]:
    """The lines after a stage, each with its op."""
    at = [step["name"] for step in found["steps"]].index(name)
    while found["steps"][at]["same"]:
        at -= 1
    step = found["steps"][at]
    return [(found["texts"][n], op) for n, op in zip(step["lines"], step["ops"], strict=True)]


@pytest.mark.parametrize("name", ["hoist_invariants", "choose_occupancy", "unroll_loops"])
def test_a_stage_is_what_compile_prints_after_it(name: str) -> None:
    done = call(main, "compile", MATMUL, "--target", TARGET, "--stop-after", name)
    lines = text_after(stages(), name)
    assert "".join(f"{line}\n" for line, _ in lines) == done.stdout
    assert {step["same"] for step in stages()["steps"]} == {True, False}


def test_lines_of_stages_are_of_the_ops_that_they_were_made_of() -> None:
    names = [op.spec.mnemonic for op in OPS]
    first = text_after(stages(), "eliminate_dead_ops")
    told = {op for line, op in first if op >= 0 and names[op] in line}
    assert {op for _, op in first} - {-1} == told
    for line, op in first:
        assert op < 0 or names[op] in line or line.strip() in "}" or "//" in line
    made = {(line.split("(")[0].split()[2], names[op]) for line, op in block_ops() if " = " in line}
    assert {
        ("mma_async", "mmaf"),
        ("copy_tensor", "load_view_tko"),
        ("wait_slot", "load_view_tko"),
    } <= made
    loads = [names[:op].count("load_view_tko") for line, op in block_ops() if "copy_tensor" in line]
    assert loads == [0, 1]


def block_ops() -> list[tuple[str, int]]:
    return [
        (line.strip(), op)
        for line, op in text_after(stages(), "unroll_loops")
        if op >= 0 and not line.lstrip().startswith("//")
    ]


def test_stages_that_do_not_fit_are_left_out() -> None:
    """The last one is kept longest."""
    given = (tileir.load(MATMUL), "matmul", TARGET, 0)
    last = [line for line, _ in text_after(stages(), "unroll_loops")]
    enough = sum(map(len, {*last})) + OF_ROW * len(last)
    for most, names in ((enough - 1, set()), (enough, {"unroll_loops"})):
        steps = stages_of(*given, most)["steps"]
        kept = {step["name"] for step in steps if step["lines"] is not None}
        assert kept == names or "unroll_loops" not in names | kept
        same = [step["same"] for step in stages()["steps"]]
        assert [step["same"] for step in steps] == same


@pytest.mark.oracle
def test_costs_are_what_nvdisasm_prints(tool) -> None:
    """Of every line of source as many instructions as are marked with it."""
    for name in ("ptxas", "nvdisasm", "tileiras"):
        tool(name, "--version")
    path, given = NEWEST["loop_sum"], ("--target", "sm_80")
    (file,) = printed("report", path, *given)["files"]
    (kernel,) = file["kernels"]
    (taken,) = printed("resources", path, *given)["files"][0]["kernels"]
    listing = call(main, "compile", path, *given, "--emit", "sass", "--lineinfo").stdout
    check_costs(path, kernel["cost"], taken, listing)
    loops = innermost(functions(listing)["loop_sum"])
    assert sum(kernel["cost"]["looped"]) == sum(map(Counter.total, loops)) > taken["main_loop"]

    theirs = kernel["tileiras"]
    cubin = nvidia.compile_by_tileiras(path.read_bytes(), "sm_80", lines=True)
    (record,) = map(as_json, resources_of(cubin))
    same = ("registers", "opcodes", "instructions", "main_loop", "occupancy")
    assert [theirs["resources"][key] for key in same] == [record[key] for key in same]
    listing = nvidia.disassemble(cubin, lines=True).decode()
    check_costs(path, theirs["cost"], record, listing, merged=True)
    words = [line.split("*/")[1].split() for line in listing.split("\n") if INSTRUCTION.match(line)]
    assert [line.split()[1:] for line in theirs["sass"]["lines"] if line[0] != "."] == words


def check_costs(path: Path, cost: dict, taken: dict, listing: str, merged: bool = False) -> None:
    """Check the costs of ops, beside figures of the kernel and a listing with lines of source.

    What belongs to ops without a line stands behind the mark of another line there. A compiler that
    has `merged` instructions of several ops says of some where they are from if that is one line,
    and cannot say so in a copy where each op has its own.
    """
    ops = [op for function in tileir.load(path).functions for op in function.walk()]
    assert sum(cost["instructions"]) == sum(taken["opcodes"].values())
    classes: Counter[str] = sum(map(Counter, cost["classes"]), Counter())
    assert classes == Counter({name: n for name, n in taken["instructions"].items() if n})
    part = listing.split(f"\n.text.{path.stem}:\n")[1].split("//-----")[0].split("\n")
    code = [(line, place) for line, place in by_marks(part, MARKED) if INSTRUCTION.match(line)]
    words = (re.sub(r"@!?U?P\w+", "", line.split("*/")[1]).split()[0] for line, _ in code)
    opcodes = [word.strip(";") for word in words]
    while opcodes[-1] == "NOP":
        opcodes.pop()
    opcodes.pop()  # the branch to itself
    kept = zip(opcodes, code, strict=False)
    expected = Counter(place for opcode, (_, place) in kept if opcode != "NOP")
    told = Counter[int | None]()
    for op, count in zip(cost["op"], cost["instructions"], strict=True):
        place = ops[op].location if op >= 0 else None
        told[place.innermost.line if place else None] += count
    assert len(told) > 3
    unknown = told.pop(None)
    more = {line: expected[line] - count for line, count in told.items()}
    assert unknown < sum(told.values()) / 4
    if merged:
        assert sum(map(abs, more.values())) < sum(told.values()) / 10
    else:
        assert min(more.values()) == 0
        assert sum(more.values()) <= unknown


def test_what_ends_a_function_costs_nothing() -> None:
    listing = """
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @!P0 FADD R1, R1, R1 ;
        /*0020*/               @P0 BRA `(.L_x_0) ;
        /*0030*/                   NOP ;
        /*0040*/                   EXIT ;
.L_x_1:
        /*0050*/                   BRA `(.L_x_1);
        /*0060*/                   NOP;
"""
    assert cost_of(listing, [-1, 3, 3, 3, 7, 7, 7]) == {
        "op": [-1, 3, 7],
        "instructions": [1, 2, 1],
        "looped": [0, 2, 0],
        "classes": [{"move": 1}, {"float": 1, "control": 1}, {"control": 1}],
    }


def test_a_missing_tileiras_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = nvidia.find
    monkeypatch.setattr(nvidia, "find", lambda name: None if name == "tileiras" else found(name))
    monkeypatch.setattr(kernels_module, "_compiled", lambda *_: iter([{"ptx": {}}]))
    if found("nvdisasm") is None:
        pytest.skip("nvdisasm is not installed")
    (record,) = kernels(tileir.load(NEWEST["scaled_copy"]), ["sm_80"])
    assert record["tileiras"] is None
    assert "pip install nvidia-cuda-tileiras" in record["missing"][-1]


def stacks(file: dict) -> list[list[tuple[str, str]]]:
    """The frames of each op: where, and in which function."""
    columns, texts, found = file["frames"], file["texts"], []
    for frame in file["ops"]["frame"]:
        found.append([])
        while frame >= 0:
            place = texts[columns["location"][frame]], texts[columns["name"][frame]]
            found[-1].append(place)
            frame = columns["caller"][frame]
    return found


def test_frames_are_those_of_call_sites() -> None:
    path = NEWEST["helper_calls"]
    (file,) = model(path.read_bytes(), paths=True)["files"]
    ops = [op for function in tileir.load(path).functions for op in function.walk()]
    shown = [", inlined at ".join(place for place, _ in stack) for stack in stacks(file)]
    assert shown == [str(op.location or "") for op in ops]
    deepest = max(stacks(file), key=len)
    assert [name for _, name in deepest] == ["_clamp", "_blend", "helper_calls"]
    assert len(file["frames"]["caller"]) < sum(map(len, stacks(file)))


def test_hostile_chains_have_few_frames() -> None:
    """A chain that doubles with each step, and long ones on either side of a call."""
    scope = Subprogram(File("k.py", ""), 1, "f", "f", CompileUnit(File("k.py", "")), 1)
    leaf = SourceLocation(scope, "k.py", 1, 1)
    twice, callees, callers = leaf, leaf, leaf
    for _ in range(200):
        twice = CallSite(twice, twice)
        callees, callers = CallSite(callees, leaf), CallSite(leaf, callers)
    module = tileir.load(NEWEST["scaled_copy"])
    for op, place in zip(module.functions[0].walk(), (twice, callees, callers), strict=False):
        op.location = place
    frames = Frames(module)
    assert len(frames.locations) < 3 * DEEPEST + 100
    for op in list(module.functions[0].walk())[:3]:
        frame, depth = frames.of_op(op), 0
        while frame >= 0:
            frame, depth = frames.callers[frame], depth + 1
        assert depth == DEEPEST
