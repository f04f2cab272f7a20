"""The benchmark on GPUs: what is prepared is whole, and the kit works on a stand-in driver.

The kit is started as on a machine with a GPU, one process a case. In place of the driver's library
stands the emulator, and nothing is timed.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.bench.__main__ import main
from tests.lab.bench.gpu import fixtures, prepare, probe_rows
from tests.lab.bench.gpu.cases import KERNELS, OWN, cases
from tests.lab.bench.gpu.kit import answers, arrays, report, run
from tests.lab.bench.gpu.kit.case import arguments_of
from tileir.errors import Diagnostic, UnsupportedError

ROOT = Path(__file__).parents[4]
CASES = ("transpose", "rms_norm", "gemm_split_k")
"""One with a grid of two axes and shared memory, one with a number, one with tensor maps."""
FIXTURES = ("vector_add", "mma_f16", "softmax")
STAND_IN = f"""
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path[:0] = [str(Path(__file__).resolve().parent), {str(ROOT)!r}]

from kit import driver
from tests.codegen.device.standin import Driver as StandIn


class Emulated(driver.Driver):
    def __init__(self):
        super().__init__(SimpleNamespace(**StandIn().functions))

    def load(self, image, entry, shared):
        {{crash}}
        return super().load(image, entry, shared)

    def seconds(self, run, flush=True):
        return 0.002


driver.Driver = Emulated

from kit.run import main

raise SystemExit(main())
"""


def manifest(folder: Path) -> dict[str, Any]:
    """What the kit reads."""
    return json.loads((folder / "bench.json").read_text())


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder, without tileiras' part, as where it is not installed."""
    place = tmp_path_factory.mktemp("prepared")
    few = [case for case in cases(small=True) if case.name in CASES]
    one = dict(list(probe_rows.rows().items())[:1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "nvidia_tool", lambda name: None)
        patch.setattr(prepare, "cases", lambda small: few)
        patch.setattr(probe_rows, "rows", lambda: one)
        patch.setattr(fixtures.write, "__defaults__", (FIXTURES,))
        assert main(["gpu", "prepare", str(place), "--small"]) == 0
    return place


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """A copy of it whose driver is the stand-in."""
    shutil.copytree(prepared, tmp_path / "it")
    broken(tmp_path / "it", "pass")
    return tmp_path / "it"


def broken(folder: Path, crash: str) -> None:
    """Have kernels do something else first when they are loaded."""
    (folder / "run.py").write_text(STAND_IN.format(crash=crash))


def results(folder: Path) -> dict[str, Any]:
    """What the kit has found out."""
    return json.loads((folder / "results.json").read_text())


def test_every_kernel_has_a_case() -> None:
    names = {case.source for case in cases()}
    assert names >= {*KERNELS.glob("*.mlir"), *OWN.glob("*.mlir")}
    for small in (False, True):
        assert len({case.name for case in cases(small)}) == len(cases(small))
        for case in cases(small):
            parameters = case.text().partition(") ")[0].count(": tile<")
            words = sum(1 + 2 * len(tensor.shape) for tensor in case.tensors) + len(case.numbers)
            assert words == parameters, case.name
            assert case.work in answers.ANSWERS


def test_texts_are_those_of_their_sources() -> None:
    pytest.importorskip("cuda.tile")
    from tests.lab.bench.gpu.kernels import source
    from tests.lab.bench.workloads.source import text_of

    assert {path.stem for path in OWN.glob("*.mlir")} == set(source.KERNELS)
    for name in source.KERNELS:
        text = (OWN / f"{name}.mlir").read_text(encoding="utf-8")
        assert text == text_of(name, source.KERNELS)


def test_a_prepared_folder_stands_alone(prepared: Path) -> None:
    found = manifest(prepared)
    assert {row["name"] for row in found["cases"]} == set(CASES)
    for row in found["cases"]:
        ptx = (prepared / row["ours"]["file"]).read_text()
        assert f".entry {row['entry']}(" in ptx
        major, minor = ptx.partition(".version ")[2].split("\n")[0].split(".")
        assert (int(major), int(minor)) <= (9, 0)
        assert row["notes"] == ["no cubin: tileiras is not installed"]
    assert found["fixtures"] == list(FIXTURES)
    done = subprocess.run(
        [sys.executable, "-I", prepared / "run.py", "--dry-run"], capture_output=True, text=True,
        cwd="/",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "ours: transpose.ptx, 1x3x1 blocks of" in done.stdout
    assert "rms_norm: 16x4096 float32, 4096 float32, 16x4096 float32; 0.5 MB" in done.stdout


def test_preparing_again_leaves_nothing_of_before(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(prepared, tmp_path / "it")
    (tmp_path / "it" / "notes.txt").write_text("mine")
    monkeypatch.setattr(prepare, "nvidia_tool", lambda name: None)
    assert main(["gpu", "prepare", str(tmp_path / "it"), "--only", "copy", "--small"]) == 0
    assert sorted(path.name for path in (tmp_path / "it").iterdir()) == [
        "bench.json", "copy.ptx", "kit", "notes.txt", "run.py",
    ]  # fmt: skip


def test_a_dry_run_sees_what_is_missing(prepared: Path, tmp_path: Path, capsys) -> None:
    assert report.dry_run(manifest(prepared), tmp_path) == 1
    assert "transpose.ptx is MISSING" in capsys.readouterr().out


def test_everything_runs(folder: Path) -> None:
    """Fixtures, probe and cases, each in a process of its own; the table tells."""
    done = subprocess.run([sys.executable, folder / "run.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = results(folder)
    assert found["fixtures"] == dict.fromkeys(FIXTURES, "")
    assert all("problem" not in each for each in found["probe"].values())
    for name in CASES:
        assert found["cases"][name]["ours"]["right"]
        assert found["cases"][name]["ours"]["seconds"] == 0.002
    table = (folder / "results.md").read_text()
    assert "Fixtures: 3 of 3 are right." in table
    assert "| transpose | 2,000.0 |" in table


@pytest.mark.slow
def test_a_crash_and_a_hang_lose_their_own_row(folder: Path) -> None:
    """A side that ends its process, and one that never comes back; the others are measured."""
    found = manifest(folder)
    for row in found["cases"]:
        if row["name"] == "rms_norm":
            shutil.copy(folder / row["ours"]["file"], folder / "theirs.cubin")
            row["tileiras"] = {**row["ours"], "file": "theirs.cubin"}
            (folder / "theirs.cubin").write_text("crash")
        if row["name"] == "transpose":
            (folder / row["ours"]["file"]).write_text("hang")
    (folder / "bench.json").write_text(json.dumps(found))
    broken(folder, "os._exit(9) if image == b'crash' else image == b'hang' and time.sleep(99)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "CASE_SECONDS", 8)
        assert run.main(["--only", "transpose", "--only", "rms_norm"], folder) == 1
    found = results(folder)["cases"]
    assert found["rms_norm"]["ours"]["right"]
    assert found["rms_norm"]["tileiras"] == {"problem": "ended with 9: no word"}
    assert found["transpose"]["ours"] == {"problem": "no answer within 8 s"}


def test_after_a_broken_context_the_others_are_measured(folder: Path) -> None:
    """What a kernel did wrong is told by all later calls of the process."""
    found = manifest(folder)
    row = next(row for row in found["cases"] if row["name"] == "rms_norm")
    row["tileiras"] = row["ours"]
    row["ours"] = {**row["ours"], "file": "sticky.ptx"}
    (folder / "sticky.ptx").write_text("sticky")
    (folder / "bench.json").write_text(json.dumps(found))
    text = "cuStreamSynchronize: an illegal memory access was encountered (700)"
    lost = f"raise driver.DriverError({text!r})"
    broken(folder, f"if image == b'sticky': {lost}")
    assert run.main(["--only", "rms_norm"], folder) == 1
    found = results(folder)["cases"]["rms_norm"]
    assert text in found["ours"]["problem"]
    assert found["tileiras"]["right"]


def test_what_a_gpu_said_is_kept(folder: Path, tmp_path: Path, monkeypatch) -> None:
    """The probe's answers become data of the tests, the table a part of the page."""
    said = {"probe": {"a row": {"shape": [1], "first": 0, "steps": []}}}
    (folder / "results.json").write_text(json.dumps(said))
    (folder / "results.md").write_text("the table\n")
    page = tmp_path / "page.md"
    page.write_text(prepare.PAGE.read_text(encoding="utf-8"))
    monkeypatch.setattr(prepare, "PAGE", page)
    monkeypatch.setattr(prepare, "GOLDEN", tmp_path / "golden" / "probe.json")
    assert main(["gpu", "keep", str(folder)]) == 0
    assert json.loads(prepare.GOLDEN.read_text()) == said["probe"]
    assert "<!-- measured -->\n\nthe table\n\n<!-- end of measured -->" in page.read_text()
    (folder / "results.json").write_text(json.dumps({"probe": {"problem": "no driver"}}))
    assert main(["gpu", "keep", str(folder)]) == 1
    assert json.loads(prepare.GOLDEN.read_text()) == said["probe"]
    (folder / "results.json").unlink()
    assert main(["gpu", "keep", str(folder)]) == 1


def test_a_cubin_that_the_driver_refuses(folder: Path) -> None:
    found = manifest(folder)
    row = next(row for row in found["cases"] if row["name"] == "transpose")
    (folder / "broken.cubin").write_bytes(b"\x7fELF\xff")
    row["tileiras"] = {**row["ours"], "file": "broken.cubin"}
    (folder / "bench.json").write_text(json.dumps(found))
    assert run.main(["--only", "transpose"], folder) == 0
    found = results(folder)["cases"]["transpose"]
    assert found["ours"]["right"]
    assert found["tileiras"]["problem"].startswith("cuLibraryLoadData: ")


@pytest.mark.slow
def test_a_fixture_that_breaks_the_process(folder: Path) -> None:
    about = json.loads((folder / "fixtures.json").read_text())
    (folder / about["mma_f16"]["file"]).write_text("crash")
    about["softmax"]["grid"] = [0, 1, 1]
    (folder / "fixtures.json").write_text(json.dumps(about))
    broken(folder, "os._exit(9) if image == b'crash' else None")
    found = run.fixtures(folder, FIXTURES, run.Budget(60))
    assert found["vector_add"] == ""
    assert found["mma_f16"] == "ended with 9: no word"
    assert found["softmax"] != ""


def test_without_time_nothing_begins(folder: Path) -> None:
    assert run.main(["--budget", "0"], folder) == 1
    found = results(folder)
    assert set(found["fixtures"].values()) == {"no time left"}
    assert found["cases"]["rms_norm"]["ours"] == {"problem": "no time left"}


def test_without_a_driver_every_row_says_so(prepared: Path, tmp_path: Path) -> None:
    shutil.copytree(prepared, tmp_path / "it")
    (tmp_path / "it" / "run.py").write_text(
        prepare.START.replace("from kit.run", "from kit import driver\n"
                              "driver.Driver.__init__.__defaults__ = (object(),)\nfrom kit.run")
    )  # fmt: skip
    assert run.main(["--only", "rms_norm"], tmp_path / "it") == 1
    assert "problem" in results(tmp_path / "it")["cases"]["rms_norm"]["run"]


def test_what_tileiras_makes_goes_along(tmp_path: Path, tool) -> None:
    tool("tileiras", "--version")  # or skip
    case = next(case for case in cases() if case.name == "vector_add")
    row = prepare.prepared(case, "sm_90", tmp_path)
    assert row["tileiras"] == {
        "file": "vector_add.cubin", "grids": [[65536, 1, 1]], "block": [1, 1, 1], "shared": 0,
        "tensor_maps": [],
    }  # fmt: skip
    assert (tmp_path / "vector_add.cubin").read_bytes()[:4] == b"\x7fELF"
    assert row["notes"] == []


def test_what_is_not_lowered_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise UnsupportedError("nothing works:", [Diagnostic("error", "unsupported", "no way")])

    monkeypatch.setattr(prepare, "compile", refuse)
    monkeypatch.setattr(prepare, "nvidia_tool", lambda name: None)
    row = prepare.prepared(cases()[0], "sm_90", tmp_path)
    assert row["ours"] is None
    assert row["notes"][0] == "not compiled: no way"
    assert not list(tmp_path.iterdir())


def test_wrong_results_are_seen() -> None:
    """Of every case: what was there before is never right."""
    for case in cases(small=True):
        row = {**vars_of(case)}
        made = [arrays.filled(each, seed) for seed, each in enumerate(row["tensors"])]
        given = answers.Given(made, [each["dtype"] for each in row["tensors"]], row["numbers"])
        found = answers.worst(row, given, made[answers.result_of(row["tensors"])])
        assert found > (1 if case.tolerance else 0), case.name


def vars_of(case: Any) -> dict[str, Any]:
    """A case as the kit reads it."""
    return {
        "work": case.work, "numbers": case.numbers, "tolerance": case.tolerance,
        "flops": case.flops, "tensors": [tensor.to_json() for tensor in case.tensors],
    }  # fmt: skip


def test_arguments_are_those_of_cutile() -> None:
    case = next(case for case in cases(small=True) if case.name == "rms_norm")
    found = arguments_of(vars_of(case), [1, 2, 3])
    assert [each.value for each in found[:-1]] == [1, 16, 4096, 4096, 1, 2, 4096, 1, 3, 16, 4096,
                                                   4096, 1]  # fmt: skip
    assert found[-1].value == pytest.approx(1e-5)


@pytest.mark.parametrize("dtype", ["bfloat16", "e4m3", "float16"])
def test_narrow_types(dtype: str) -> None:
    import ml_dtypes

    known = {"bfloat16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn,
             "float16": np.float16}  # fmt: skip
    numbers = np.random.default_rng(1).standard_normal(999).astype(np.float32)
    bits = arrays.encoded(dtype, numbers)
    expected = numbers.astype(known[dtype])
    error = arrays.decoded(dtype, bits) - expected.astype(np.float32)
    assert np.abs(error).max() <= (0.25 if dtype == "e4m3" else 0)
    np.testing.assert_array_equal(
        arrays.decoded(dtype, expected.view(bits.dtype)), expected.astype(np.float32)
    )


def test_ratios() -> None:
    row = {"name": "k", "flops": 0, "bytes": 4_000_000, "notes": []}
    found = {
        "ours": {"seconds": 2e-6, "error": 0.5, "right": True},
        "tileiras": {"seconds": 3e-6, "error": math.inf, "right": False},
        "torch": {"problem": "gone"},
    }
    assert report.cells(row, found) == [
        "k", "2.0", "2,000 GB/s", "1.50", "", "", "ours yes (0.5), tileiras NO (inf)", "torch: gone"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prepare", "{}", "--only", "nothing"], "there is no case nothing"),
        (["prepare", "{}", "--bad"], "unknown arguments: --bad"),
        (["run", "{}"], "prepare the folder first"),
    ],
)
def test_wrong_use(words: list[str], message: str, tmp_path: Path, capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["gpu", *[word.format(tmp_path) for word in words]])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_a_target_that_there_is_not(tmp_path: Path, capsys) -> None:
    assert main(["gpu", "prepare", str(tmp_path), "--target", "sm_1"]) == 1
    assert "unknown target 'sm_1'" in capsys.readouterr().err
