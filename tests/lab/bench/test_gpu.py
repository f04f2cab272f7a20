"""The benchmark on GPUs: what is prepared is whole, and its runner works on a stand-in driver."""

from __future__ import annotations

import ctypes
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.codegen import copied_boxes as boxes
from tests.codegen.device.standin import Driver
from tests.lab.bench import gpu, gpu_run
from tests.lab.bench.__main__ import main
from tests.lab.bench.gpu_cases import cases
from tileir.errors import Diagnostic, UnsupportedError

KERNELS = ("transpose", "rms_norm")
"""One with a grid of two axes and shared memory, one with a number."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder, without tileiras' part, as where it is not installed."""
    place = tmp_path_factory.mktemp("prepared")
    only = [word for name in KERNELS for word in ("--only", name)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu, "nvidia_tool", lambda name: None)
        assert main(["gpu", "prepare", str(place), "--target", "sm_80", "--small", *only]) == 0
    return place


def manifest(folder: Path) -> dict[str, Any]:
    """What the runner reads."""
    return json.loads((folder / "bench.json").read_text())


def test_every_kernel_has_a_case() -> None:
    names = [case.kernel for case in cases()]
    assert sorted(names) == sorted(path.stem for path in gpu.SOURCES.glob("*.mlir"))
    for case in (*cases(), *cases(small=True)):
        assert all(n % 16 == 0 for tensor in case.tensors for n in tensor.shape)
        text = (gpu.SOURCES / f"{case.kernel}.mlir").read_text()
        parameters = text.partition(") ")[0].count(": tile<")
        words = sum(1 + 2 * len(tensor.shape) for tensor in case.tensors) + len(case.numbers)
        assert words == parameters


def test_preparing_again_leaves_nothing_of_before(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "it")
    (tmp_path / "it" / "notes.txt").write_text("mine")
    (tmp_path / "it" / "other.ptx").write_text("mine")
    monkeypatch.setattr(gpu, "nvidia_tool", lambda name: None)
    again = ["gpu", "prepare", str(tmp_path / "it"), "--only", "copy", "--small"]
    assert main(again) == 0
    assert sorted(path.name for path in (tmp_path / "it").iterdir()) == [
        "bench.json", "copy.ptx", "notes.txt", "other.ptx", "run.py",
    ]  # fmt: skip
    assert [row["kernel"] for row in manifest(tmp_path / "it")["kernels"]] == ["copy"]


def test_a_prepared_folder_stands_alone(folder: Path) -> None:
    found = manifest(folder)
    assert [row["kernel"] for row in found["kernels"]] == list(KERNELS)
    for row in found["kernels"]:
        ptx = (folder / row["ours"]["file"]).read_text()
        assert f".entry {row['kernel']}(" in ptx
        assert row["notes"] == ["no cubin: tileiras is not installed"]
    done = subprocess.run(
        [sys.executable, "-I", "-S", folder / "run.py", "--dry-run"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "ours: transpose.ptx, 1x3x1 blocks of" in done.stdout
    assert "rms_norm: 16x4096 float32, 4096 float32, 16x4096 float32; 0.5 MB" in done.stdout


def test_a_dry_run_sees_what_is_missing(folder: Path, tmp_path: Path, capsys) -> None:
    assert gpu_run.dry_run(manifest(folder), tmp_path) == 1
    assert "transpose.ptx, which is MISSING" in capsys.readouterr().out


def test_what_tileiras_makes_goes_along(tmp_path: Path, tool) -> None:
    tool("tileiras", "--version")  # or skip
    case = next(case for case in cases() if case.kernel == "vector_add")
    row = gpu.prepared(case, "sm_90", tmp_path)
    assert row["tileiras"] == {
        "file": "vector_add.cubin", "grid": [65536, 1, 1], "block": [1, 1, 1], "shared": 0
    }  # fmt: skip
    assert (tmp_path / "vector_add.cubin").read_bytes()[:4] == b"\x7fELF"
    assert row["notes"] == []


def test_what_is_not_lowered_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise UnsupportedError("nothing works:", [Diagnostic("error", "unsupported", "no way")])

    monkeypatch.setattr(gpu, "compile", refuse)
    monkeypatch.setattr(gpu, "nvidia_tool", lambda name: None)
    row = gpu.prepared(cases()[0], "sm_90", tmp_path)
    assert row["ours"] is None
    assert row["notes"][0] == "not compiled: no way"
    assert not list(tmp_path.iterdir())


class OnStandIn(gpu_run.Gpu):
    """The runner's GPU, with the stand-in as its driver and tensors that are the CPU's."""

    name = "cpu"

    def __init__(self, torch: Any) -> None:
        self.torch, self.standin = torch, Driver()
        self._driver = SimpleNamespace(**self.standin.functions)

    def about(self) -> str:
        return "a stand-in"

    def stream(self) -> int:
        return 0

    def wait(self) -> None: ...

    def seconds(self, run: Any) -> float:
        return 0.002


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> OnStandIn:
    """The runner's GPU; it is lent every tensor."""
    made = OnStandIn(pytest.importorskip("torch"))
    tensors_of = gpu_run.tensors_of

    def lent(*given: Any) -> list[Any]:
        tensors = tensors_of(*given)
        for tensor in tensors:
            made.standin.lend(tensor.numpy())
        return tensors

    monkeypatch.setattr(gpu_run, "tensors_of", lent)
    return made


def test_the_runner_launches_what_was_prepared(folder: Path, stand_in: OnStandIn, capsys) -> None:
    assert gpu_run.report(manifest(folder), stand_in, folder, 2, False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "ours yes (0)" in next(line for line in lines if line.startswith("transpose"))
    assert re.search(r"rms_norm +2,000\.0 .*GB/s +ours yes \(0\.\d+\)", "\n".join(lines))


def test_the_runner_sees_wrong_results(folder: Path, stand_in: OnStandIn, monkeypatch) -> None:
    right = gpu_run.reference
    monkeypatch.setattr(gpu_run, "reference", lambda *given: right(*given) + 1e-3)
    assert gpu_run.report(manifest(folder), stand_in, folder, 1, False) == 1


def test_the_runner_makes_tensor_maps() -> None:
    """As its kernels get more of them; this one is written by hand."""
    made, plan = OnStandIn(None), boxes.plan()
    matrix = boxes.matrix()
    out = np.full(boxes.expected(matrix).size, -1, np.float16)
    for array in (matrix.base, out):
        made.standin.lend(array)
    sizes = [ctypes.c_int32(size) for size in (*matrix.shape, matrix.shape[1])]
    arguments = [
        ctypes.c_void_p(matrix.ctypes.data), *sizes, ctypes.c_void_p(out.ctypes.data)
    ]  # fmt: skip
    kernel = made.load(boxes.ptx().encode(), plan["entry"], 0)
    maps = [made.tensor_map(recipe, arguments) for recipe in plan["tensor_maps"]]
    made.launch(kernel, (*boxes.grid_of(matrix), 1), plan["block"], 0, arguments + maps)
    assert made.standin.problem is None
    np.testing.assert_array_equal(out, boxes.expected(matrix))


def test_a_cubin_that_the_driver_refuses(folder: Path, stand_in: OnStandIn, capsys) -> None:
    row = next(r for r in manifest(folder)["kernels"] if r["kernel"] == "transpose")
    (folder / "broken.cubin").write_bytes(b"\x7fELF\xff")
    row["tileiras"] = {**row["ours"], "file": "broken.cubin"}
    found = gpu_run.measure(row, stand_in, folder, 1)
    assert found["ours"]["right"]
    assert found["tileiras"]["problem"].startswith("cuLibraryLoadData: ")
    assert gpu_run.cells(row, found)[-1].startswith("no cubin: tileiras is not installed; tileiras")


def test_after_a_failure_the_rest_is_reported(
    folder: Path, stand_in: OnStandIn, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """What PyTorch says when the driver serves the process no more: several lines."""
    wait, waits = stand_in.wait, iter(range(9))

    def lost() -> None:
        if next(waits):
            raise RuntimeError("CUDA error: an illegal memory access\nFor debugging consider")
        wait()

    def gone(*_: Any) -> None:
        lost()

    monkeypatch.setattr(stand_in, "wait", lost)
    monkeypatch.setattr(gpu_run, "worst", lambda *_: 0.0)
    rows = manifest(folder)
    rows["kernels"].append(rows["kernels"][0])
    assert gpu_run.report(rows, stand_in, folder, 1, False) == 1
    first, second, _ = capsys.readouterr().out.splitlines()[-3:]
    assert "ours yes (0)" in first
    assert second.endswith("ours: CUDA error: an illegal memory access")
    monkeypatch.setattr(gpu_run, "tensors_of", gone)
    assert gpu_run.report(rows, stand_in, folder, 1, False) == 1
    assert "ours: not measured: CUDA error: an illegal" in capsys.readouterr().out


def test_ratios() -> None:
    row = {"kernel": "k", "flops": 0, "bytes": 4_000_000, "notes": []}
    found = {
        "ours": {"seconds": 2e-6, "error": 0.5, "right": True},
        "tileiras": {"seconds": 3e-6, "error": math.inf, "right": False},
    }
    assert gpu_run.cells(row, found) == [
        "k", "2.0", "3.0", "1.50", "2,000 GB/s", "ours yes (0.5), tileiras NO (inf)", ""
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prepare", "{}", "--only", "nothing"], "there is no kernel nothing"),
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
