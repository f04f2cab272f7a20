"""A package has what was compiled, and gives it back: to our loader, and to anything else."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tests.programs import call
from tileir.__main__ import main
from tileir.errors import LaunchError, PackageError
from tileir.tilepack.making import make_package
from tileir.tilepack.package import Package
from tileir.tools import nvidia

from .making import OPTIONS, TARGETS, TWO, made_for, members, package

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"


def test_it_has_what_was_compiled() -> None:
    files = members(package())
    manifest = json.loads(files.pop("manifest.json"))
    module = tileir.assemble(TWO).build()
    assert manifest["module"] == {
        "sha256": hashlib.sha256(module).hexdigest(), "bytes": len(module), "version": "13.5",
    }  # fmt: skip
    assert (manifest["format"], manifest["schema"], manifest["options"]) == ("tilepack", 1, OPTIONS)
    assert [row["target"] for row in manifest["targets"]] == list(TARGETS)
    for row in manifest["targets"]:
        compiled = tileir.compile(module, row["target"], **OPTIONS)
        assert row["entries"] == ["first", "second"]
        assert files[f"{row['target']}/kernels.ptx"].decode() == compiled.ptx
        assert json.loads(files[f"{row['target']}/plan.json"]) == compiled.plan
        for file in row["files"].values():
            data = files.pop(file["name"])
            assert (file["bytes"], file["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert not files


def test_the_same_module_gives_the_same_package() -> None:
    assert make_package(tileir.assemble(TWO), TARGETS, OPTIONS) == package()


def test_it_gives_it_back() -> None:
    found = Package.parse(package())
    assert found.targets == list(found) == list(TARGETS)
    compiled = tileir.compile(tileir.assemble(TWO), "sm_90", **OPTIONS)
    kernels = found["sm_90"]
    assert (kernels.ptx, kernels.plan, kernels.cubin) == (compiled.ptx, compiled.plan, None)
    assert list(kernels) == ["first", "second"]
    assert repr(kernels["first"]) == "<PackagedKernel first(ptr<i32>, i32)>"
    assert repr(found) == "<Package for sm_80, sm_90>"
    assert repr(kernels) == "<PackagedKernels for sm_90: first, second>"
    with pytest.raises(KeyError, match="no entry 'third'; there are: first, second"):
        kernels["third"]
    with pytest.raises(KeyError, match="nothing for 'sm_70'; there is: sm_80, sm_90"):
        found["sm_70"]


WITHOUT_A_COMPILER = """\
import sys
sys.modules["llvmlite"] = None
import numpy as np
import tileir
kernels = tileir.load_package(sys.argv[1]).for_gpu("sm_100")
number = np.zeros(1, np.int32)
tileir.emulator.load(kernels)["first"].launch(1, [number, 7])
print(kernels.target, number[0])
"""


def test_a_compiler_is_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "kernels.tilepack"
    path.write_bytes(package())
    command = [sys.executable, "-c", WITHOUT_A_COMPILER, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("sm_90 7\n", "")


@pytest.mark.parametrize(
    ("gpu", "chosen"),
    [
        ("sm_75", "sm_75"),
        ("sm_80", "sm_80"),
        ("sm_89", "sm_80"),
        ("sm_90", "sm_90a"),
        ("sm_100", "sm_100"),  # a cubin
        ("sm_103", "sm_100"),
        ("sm_110", "sm_80"),  # of which only PTX runs on another major number
        ("sm_120", "sm_120"),
        ("sm_121", "sm_120"),
    ],
)
def test_the_best_that_runs_is_chosen(gpu: str, chosen: str) -> None:
    rows = [
        ("sm_75", "sm_75", None), ("sm_80", "sm_80", "sm_80"), ("sm_90", "sm_90a", None),
        ("sm_90a", "sm_90a", "sm_90a"), ("sm_100", "", "sm_100"), ("sm_120", "sm_120", None),
    ]  # fmt: skip
    assert Package.parse(made_for(*rows)).for_gpu(gpu).target == chosen
    assert Package.parse(made_for(*reversed(rows))).for_gpu(gpu).target == chosen


def test_where_nothing_runs_it_says_what_there_is() -> None:
    found = Package.parse(made_for(("sm_90", "sm_90a", None), ("sm_80", "", "sm_80")))
    why = (
        "nothing in the package runs on sm_100: it is for sm_90 (runs on 9.0 alone), sm_80 (a cubin"
        " for sm_80)"
    )
    with pytest.raises(LaunchError) as caught:
        found.for_gpu("sm_100")
    assert str(caught.value) == why
    with pytest.raises(LaunchError, match="expected the name of a GPU such as sm_90, got 'H100'"):
        found.for_gpu("H100")


def tilepack(*arguments: object) -> subprocess.CompletedProcess[str]:
    return call(main, "package", *arguments)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "kernels.tilepack"
    given = (VECTOR_ADD, "--target", "sm_80", "--target", "sm_90", "--num-warps", 8, "-o", out)
    done = tilepack(*given)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = tileir.load_package(out)
    assert found["sm_80"]["vector_add"].plan["block"] == [256, 1, 1]
    assert found.manifest["options"] == {"num_warps": 8}
    listed = tilepack("--list", out).stdout.splitlines()
    assert listed[0] == f"bytecode {hashlib.sha256(VECTOR_ADD.read_bytes()).hexdigest()}"
    assert [line for line in listed if line.startswith("sm_")] == [
        "sm_80: vector_add", "sm_90: vector_add",
    ]  # fmt: skip
    assert listed[-1].endswith("  sm_90/kernels.ptx")
    assert json.loads(tilepack("--list", "--json", out).stdout) == found.manifest
    x, z = np.arange(2000, dtype=np.float32), np.zeros(2000, np.float32)
    kernel = tileir.emulator.load(found["sm_90"])["vector_add"]
    kernel.launch(2, [x, 2000, 1, x, 2000, 1, z, 2000, 1])
    assert np.array_equal(z, x + x)


@pytest.mark.parametrize(
    ("given", "code", "problem"),
    [
        ((VECTOR_ADD, "--target", "sm_80"), 2, "-o is needed"),
        ((VECTOR_ADD, "-o", "x"), 2, "--target is needed, such as --target sm_90"),
        ((VECTOR_ADD, "-o", "x", "--target", "host"), 2, "a package is for GPUs"),
        ((VECTOR_ADD, "-o", "x", "--target", "sm_42"), 4, "unknown target 'sm_42'; known are sm_"),
        (
            (VECTOR_ADD, "-o", "x", "--target", "sm_80", "--entry", "no"),
            2,
            "there is no entry 'no'",
        ),
        ((VECTOR_ADD, "-o", "x", "--target", "sm_80", "--num-ctas", 2), 4, "has no clusters"),
        ((VECTOR_ADD, "--json", "--target", "sm_80"), 2, "--json is for --list"),
        (("--list", VECTOR_ADD), 3, f"{VECTOR_ADD.name}: no package of kernels"),
        (("--list", "/nowhere.tilepack"), 2, "/nowhere.tilepack: No such file"),
    ],
)
def test_wrong_use(given, code: int, problem: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = tilepack(*given)
    assert (done.returncode, done.stdout) == (code, "")
    assert problem in done.stderr
    assert not list(tmp_path.iterdir())


def test_cubins_are_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def stand_in(ptx: str, target: str, lines: bool) -> bytes:
        assert ptx.count(".visible .entry") == 2
        return f"{target} {lines}".encode()

    monkeypatch.setattr(nvidia, "assemble", stand_in)
    module = tileir.assemble(TWO)
    made = make_package(module, ["sm_90"], {"lineinfo": False}, ("cubin",))
    kernels = Package.parse(made)["sm_90"]
    assert (kernels.cubin, kernels.ptx, kernels.cubin_target) == (b"sm_90 False", None, "sm_90")
    both = Package.parse(make_package(module, ["sm_90"], {}, ("ptx", "cubin")))["sm_90"]
    assert (both.cubin, both.ptx) == (b"sm_90 False", tileir.compile(module, "sm_90").ptx)


def test_a_path_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no.tilepack"
    path.write_bytes(b"no")
    with pytest.raises(PackageError) as caught:
        tileir.load_package(path)
    assert caught.value.__notes__ == [f"in {path}"]
    with pytest.raises(TypeError, match="expected the path of a package, got bytes"):
        tileir.load_package(package())  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        tileir.load_package(tmp_path / "nowhere")
