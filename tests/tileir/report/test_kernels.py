"""What a page says of kernels for a GPU is what the commands say, each of which is asked here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES, NEWEST
from tests.programs import call
from tests.tileir.commands.test_missing_packages import without
from tileir.__main__ import main
from tileir.report.kernels import kernels
from tileir.report.model import model
from tileir.report.page import as_json, packed
from tileir.report.verdict import verdict
from tileir.tools import nvidia

MATMUL, TARGET = NEWEST["matmul"], "sm_90"
MULTIMEM = FIXTURES / "13.5" / "multimem.tileirbc"
LOCATED = re.compile(r"\s*\.loc\s+1 (\d+) ")
MARKED = re.compile(r'\s*//## File ".*", line (\d+)')


def printed(*arguments: object) -> Any:
    """The JSON that a command prints."""
    done = call(main, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def source_lines(file: dict, ops: list[int]) -> list[int | None]:
    """The lines of source that ops are located at; None for no op, and for one that is nowhere."""
    texts = [file["texts"][index] for index in file["ops"]["location"]]
    return [int(texts[op].split(":")[-2]) if op >= 0 and texts[op] else None for op in ops]


def by_marks(lines: list[str], mark: re.Pattern[str]) -> list[tuple[str, int | None]]:
    """The lines of a listing that are no marks, and the line of source that marks say."""
    found, place = [], None
    for line in lines:
        if match := mark.match(line):
            place = int(match[1])
        else:
            found.append((line, place))
    return found


@pytest.mark.oracle
def test_it_says_what_the_commands_say(tool) -> None:
    """Figures, findings, work, PTX and machine code of a matrix product."""
    for name in ("ptxas", "nvdisasm"):
        tool(name, "--version")
    made = printed("report", MATMUL, "--target", TARGET, "--paths")
    (file,) = made["files"]
    (kernel,) = file["kernels"]
    assert 4 * len(packed(made)) < len(as_json(made)), "lines repeat in listings, stages and texts"
    assert all(step["same"] or step["lines"] for step in kernel["stages"]["steps"])
    assert (kernel["problems"], kernel["missing"]) == ([], [])
    (taken,) = printed("resources", MATMUL, "--target", TARGET)["files"][0]["kernels"]
    assert kernel["resources"] == taken
    (work,) = printed("stats", MATMUL)["files"][0]["functions"]
    assert kernel["work"] == work
    found = printed("advise", MATMUL, "--target", TARGET)["files"][0]["findings"]
    assert [{k: v for k, v in each.items() if k != "ops"} for each in kernel["findings"]] == found
    names = [file["texts"][index] for index in file["ops"]["name"]]
    assert [(names[each["ops"][0]], len(each["ops"])) for each in kernel["findings"]] == [
        (each["op"], 1 + len(each["also"])) for each in found
    ]
    locations = [file["texts"][index] for index in file["ops"]["location"]]
    for each in kernel["findings"]:
        assert locations[each["ops"][0]].endswith(f":{each['line']}:{each['column']}")
    table = call(main, "resources", MATMUL, "--target", TARGET).stdout.splitlines()[1:]
    assert [[title, cell] for title, cell in kernel["table"]] == [
        [line.rpartition("   ")[0].rstrip(), line.rpartition("   ")[2]] for line in table
    ]
    said = " ".join(kernel["verdict"])
    fits = taken["occupancy"]
    assert f"{taken['registers']} registers a thread" in said
    assert f"{fits['blocks']} blocks, {fits['warps']} of {fits['most_warps']} warps" in said
    assert kernel["verdict"][0].startswith("tileir advise found one thing")
    assert len(found) == 1

    compiled = ("compile", MATMUL, "--target", TARGET, "--emit")
    plain = call(main, *compiled, "ptx").stdout.rstrip("\n").split("\n")
    assert kernel["ptx"]["lines"] == plain
    marked = call(main, *compiled, "ptx", "--lineinfo").stdout.rstrip("\n").split("\n")
    marked = [line for line in marked if not line.lstrip().startswith(".file")]
    expected = by_marks(marked, LOCATED)
    assert [line for line, _ in expected] == plain
    check_places(file, kernel["ptx"]["ops"], expected)
    machine = call(main, *compiled, "sass", "--lineinfo").stdout.split("\n.text.matmul:\n")[1]
    machine = machine.split("//-----")[0].split("\n")
    instructions = [
        (line.replace("/*", "", 1).replace("*/", "", 1).split(), place)
        for line, place in by_marks(machine, MARKED)
        if re.match(r"\s*/\*[0-9a-f]{4,}\*/ ", line)
    ]
    shown = [
        (line.split(), op)
        for line, op in zip(kernel["sass"]["lines"], kernel["sass"]["ops"], strict=True)
        if not line.startswith(".L")
    ]
    assert [line for line, _ in shown] == [line for line, _ in instructions]
    check_places(file, [op for _, op in shown], instructions)


def check_places(file: dict, ops: list[int], expected: list[tuple[Any, int | None]]) -> None:
    """Lines that have an op are located where the compiler says that they come from."""
    places = source_lines(file, ops)
    wrong = [
        (at, line, place, known)
        for at, ((line, known), place) in enumerate(zip(expected, places, strict=True))
        if place is not None and place != known
    ]
    assert not wrong
    assert len({op for op in ops if op >= 0}) > 5


def test_parameters_have_the_roles_of_a_launch() -> None:
    (record,) = kernels(tileir.load(NEWEST["vector_add"]), ["sm_80"])
    plan = tileir.compile(tileir.load(NEWEST["vector_add"]), "sm_80").plan["vector_add"]
    contract = record["contract"]
    assert contract["block"] == plan["block"]
    assert [row["written"] for row in contract["parameters"]] == [False] * 6 + [True] + [False] * 2
    assert [row["meaning"].split(":")[0] for row in contract["parameters"][:4]] == [
        "array 0", "array 0", "array 0", "array 1",
    ]  # fmt: skip


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """PTX needs none of NVIDIA's tools."""
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    (record,) = kernels(tileir.load(NEWEST["scaled_copy"]), ["sm_80"])
    assert [record[key] for key in ("resources", "table", "sass", "problems")] == [
        None,
        [],
        None,
        [],
    ]
    assert record["ptx"]["lines"]
    assert ["pip install nvidia-cuda-" in each for each in record["missing"]] == [True, True]
    assert "registers" not in " ".join(record["verdict"])


def test_without_a_compiler_there_is_the_work() -> None:
    done = without("llvmlite", "report", "--json", "--target", "sm_80", NEWEST["scaled_copy"])
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)["files"][0]["kernels"]
    assert 'pip install "llvmlite>=' in record["missing"][0]
    assert (record["ptx"], record["findings"], record["contract"]) == (None, None, None)
    (sentence,) = record["verdict"]
    assert "FLOPs" in sentence


def test_what_a_gpu_cannot_do_is_said_for_each_op() -> None:
    (record,) = kernels(tileir.load(MULTIMEM), ["sm_75"])
    with pytest.raises(tileir.UnsupportedError) as caught:
        tileir.compile(tileir.load(MULTIMEM), "sm_75")
    assert record["problems"] == [line.strip() for line in str(caught.value).splitlines()]
    assert record["verdict"][0].startswith("It is not compiled for sm_75: 5 ops")
    assert record["ptx"] is None
    assert record["work"]["ops"]


def test_attributes_of_a_text_and_directories_in_it(tmp_path: Path) -> None:
    """A launch is as its text says, and no directory is told, unless it is asked for."""
    path = tmp_path / "k.mlir"
    text = tileir.disassemble(NEWEST["scaled_copy"].read_bytes())
    path.write_text(f"module attributes {{tt.num_warps = 2 : i32}} {{\n{text}}}\n")
    given = ("report", path, "--target", "sm_80")
    (record,) = printed(*given)["files"][0]["kernels"]
    assert record["contract"]["block"] == [64, 1, 1]
    data = MATMUL.read_bytes()
    assert b"/tileir/fixtures" in data
    shown = json.dumps(printed("report", MATMUL, "--target", "sm_80"))
    assert "tileir/fixtures" not in shown


def test_a_verdict_says_nothing_of_what_is_unknown() -> None:
    nothing = {"flops": {}, "bytes": {}}
    record = {"target": "sm_80", "problems": [], "ptx": None, "work": nothing}
    assert verdict({**record, "resources": None, "findings": None, "untried": []}) == []
    said = verdict({**record, "resources": None, "findings": [], "untried": []})
    assert said == ["No rule of tileir advise knows how to make it faster on sm_80."]


def test_symbols_of_formulas_are_explained() -> None:
    """Loops whose trips are no short formula have a symbol, which `tileir stats` explains."""
    (function,) = printed("stats", NEWEST["nested_loops"])["files"][0]["functions"]
    used = list(function["where"])
    assert len(used) > 1
    record = {"target": "sm_80", "problems": [], "ptx": None, "work": function, "untried": []}
    said = verdict({**record, "resources": None, "findings": None})
    assert said[-1].startswith(" and ".join(used))


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["--target", "sm_9"], 4, "unknown target 'sm_9'"),
        (["--target", "host"], 4, "unknown target 'host'"),
        ([MATMUL, "--target", "sm_90"], 2, "--target is for one file"),
    ],
)
def test_how_it_exits(given: list, code: int, said: str) -> None:
    done = call(main, "report", "--json", MATMUL, *given)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


def test_without_a_target_nothing_is_compiled() -> None:
    assert model(MATMUL.read_bytes())["files"][0]["kernels"] == []
