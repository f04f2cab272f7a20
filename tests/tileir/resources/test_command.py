"""`tileir resources`: ours by ptxas, those of a cubin, a baseline, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir import UnsupportedError, compile, load
from tileir.__main__ import main
from tileir.resources.of_kernels import resources_of
from tileir.tools import nvidia

from .elf import elf
from .test_cubin import SECTIONS

MULTIMEM = str(FIXTURES / "13.5" / "multimem.tileirbc")
VECTOR_ADD = str(FIXTURES / "13.4" / "vector_add.tileirbc")
OURS = ("--target", "sm_80", "--no-instructions")


@pytest.fixture
def cubin(tmp_path: Path) -> str:
    path = tmp_path / "made.cubin"
    path.write_bytes(elf(SECTIONS))
    return str(path)


def test_a_cubin_as_a_table_and_as_json(cubin: str) -> None:
    shown = call(main, "resources", "--no-instructions", cubin).stdout.splitlines()
    assert shown[0].split() == ["kernel", "one", "sm_90a", "tileiras"]
    assert ["registers", "of", "a", "thread", "168"] in [line.split() for line in shown]
    assert "spilled, stores + loads                  ?" in shown
    (file,) = json.loads(call(main, "resources", "--no-instructions", "--json", cubin).stdout)[
        "files"
    ]
    one, two = file["kernels"]
    assert (one["kernel"], one["static_shared"], one["stack"], one["opcodes"]) == (
        "one", 512, 48, None,
    )  # fmt: skip
    assert one["occupancy"]["limited_by"] == ["registers"]
    assert two["threads"] == 96


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ([], 2, "the following arguments are required: FILE"),
        (["{cubin}", "--update"], 2, "--baseline JSON names its file"),
        (["{cubin}", "--target", "sm_90"], 2, "is compiled already; leave --target away"),
        (["{cubin}", "--baseline", "{cubin}"], 2, "is what is read"),
        (["{cubin}", "--baseline", "{folder}/none.json"], 2, "--update writes it"),
        ([VECTOR_ADD, "--baseline", VECTOR_ADD + "/x"], 2, "Not a directory"),
        ([VECTOR_ADD], 2, "give a GPU as --target"),
        ([VECTOR_ADD, "--target", "host"], 2, "host is this machine's CPU, and tileir resources"),
        ([VECTOR_ADD, "--target", "sm_80,sm_90"], 4, "which are 2: name each by itself, as sm_80;"),
        ([VECTOR_ADD, "--target", "sm_70"], 4, "unknown target 'sm_70'"),
        ([VECTOR_ADD, "--target", "sm_80", "--entry", "other"], 2, "there is no entry 'other'"),
        ([VECTOR_ADD, "--target", "sm_75", "--compiler", "tileiras"], 4, "target of tileiras"),
        ([VECTOR_ADD, "--target", "sm_80", "--compiler", "tileiras", "--num-warps", "4"], 2,
         "leave --num-warps away"),
        (["no such file"], 2, "No such file"),
        (["--target", "sm_80", "{folder}/text.json"], 3, ""),
    ],
)  # fmt: skip
def test_how_it_exits(given: list[str], code: int, said: str, cubin: str, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text("{}")
    (tmp_path / "made.cubin2").write_bytes(elf(SECTIONS))
    words = [word.format(cubin=cubin, folder=tmp_path) for word in given]
    done = call(main, "resources", *words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert not (tmp_path / "b").exists()


def test_kernels_of_one_name_in_two_files(cubin: str, tmp_path: Path) -> None:
    """A baseline has both, wherever the command runs."""
    folder = tmp_path / "below"
    folder.mkdir()
    (folder / "made.cubin").write_bytes(Path(cubin).read_bytes())
    files = (cubin, folder / "made.cubin", "--no-instructions")
    path = tmp_path / "resources.json"
    assert call(main, "resources", *files, "--baseline", path, "--update").returncode == 0
    kept = json.loads(path.read_text())["kernels"]
    assert {key.partition(":")[0] for key in kept} == {"made.cubin", "below/made.cubin"}
    assert call(main, "resources", *files, "--baseline", path).returncode == 0


@pytest.mark.oracle
def test_what_fails_does_not_hide_the_rest(tool) -> None:
    tool("ptxas", "--version")
    given = ("--no-instructions", "--json", "--target", "sm_75", "--target", "sm_90")
    both = ("--entry", "nobody", "--entry", "vector_add", VECTOR_ADD)
    done = call(main, "resources", *given, *both)
    assert done.returncode == 2
    (file,) = json.loads(done.stdout)["files"]
    assert [each["target"] for each in file["kernels"]] == ["sm_75", "sm_90"]
    (problem,) = file["problems"]
    assert problem.startswith("there is no entry 'nobody'")
    done = call(main, "resources", *given, MULTIMEM)
    assert done.returncode == 4
    (file,) = json.loads(done.stdout)["files"]
    assert {each["target"] for each in file["kernels"]} == {"sm_90"}
    assert file["problems"]
    assert "sm_75" in done.stderr


@pytest.mark.oracle
def test_a_ratchet_fails_when_one_register_is_added(tool, tmp_path: Path) -> None:
    tool("ptxas", "--version")
    path, file = tmp_path / "resources.json", tmp_path / "k.tileirbc"
    file.write_bytes(Path(VECTOR_ADD).read_bytes())
    given = ("resources", *OURS, "--baseline", path, file)
    assert call(main, *given, "--update").stdout == f"{path}: one kernel written\n"
    assert call(main, *given).returncode == 0
    kept = json.loads(path.read_text())
    key = "k.tileirbc: vector_add sm_80"
    figures = kept["kernels"][key]
    before, code = figures["registers"], figures["code_bytes"]
    figures["registers"] -= 1
    figures["code_bytes"] += 128
    kept["tools"]["ptxas"] = "12.0.0"
    path.write_text(json.dumps(kept))
    done = call(main, *given)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"worse: {key}: registers of a thread {before - 1} -> {before} (+1)",
        f"better: {key}: bytes of code {code + 128:,} -> {code:,} (-128)",
        "one kernel, 0 as in the baseline",
    ]
    assert "the baseline was written with ptxas 12.0.0" in done.stderr


@pytest.mark.oracle
def test_our_kernels_are_those_that_ptxas_speaks_of(tool) -> None:
    """Spills and registers are its own words, all else is read from the cubin."""
    tool("ptxas", "--version")
    compiled = compile(load(VECTOR_ADD), "sm_90", num_warps=2)
    (found,) = resources_of(compiled, instructions=False)
    said = nvidia.assemble_verbosely(compiled.ptx or "", "sm_90").usage["vector_add"]
    assert (found.registers, found.spill_stores, found.barriers) == (
        said.registers, said.stored, said.barriers,
    )  # fmt: skip
    assert (found.threads, found.shared, found.spilled, found.compiler) == (64, 0, 0, "tileir")
    assert found.occupancy is not None
    with pytest.raises(UnsupportedError, match="the host's kernels"):
        resources_of(compile(load(VECTOR_ADD)))


@pytest.mark.oracle
def test_both_compilers_side_by_side(tool) -> None:
    for name in ("ptxas", "nvdisasm", "tileiras"):
        tool(name, "--version")
    both = ("--compiler", "tileir", "--compiler", "tileiras")
    shown = call(main, "resources", "--target", "sm_80", *both, VECTOR_ADD).stdout.splitlines()
    assert shown[0].split() == ["kernel", "vector_add", "sm_80", "sm_80", "tileiras"]
    rows = {line[:24].strip(): line[24:].split() for line in shown}
    assert all(int(number) > 1 for number in rows["global memory"])
