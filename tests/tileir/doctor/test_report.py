"""`tileir doctor`: what it finds, what it concludes, and that it prints what its page shows."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.corpus import ROOT
from tileir.codegen.cache.store import Cache
from tileir.command_line.exit_codes import NO, OK
from tileir.command_line.running import main_of
from tileir.doctor import nvidia, report, self_checks, shared_store
from tileir.doctor.packages import Package, installed, is_within, packages
from tileir.gpus import GPUS
from tileir.messages.missing_packages import supported_versions
from tileir.tools.nvidia import PACKAGES

NO_DRIVER = {"cuda": None, "release": None, "gpus": [], "problem": "there is no NVIDIA driver"}
LOOK = nvidia.look_at_driver
HOPPER = {"name": "NVIDIA H100", "capability": [9, 0], "memory": 80 << 30}


@pytest.fixture(autouse=True)
def _no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever driver there is, or whoever stands in for one, is no business of these tests."""
    monkeypatch.setattr(nvidia, "look_at_driver", lambda: NO_DRIVER)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What there is here, but for the driver."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nvidia, "look_at_driver", lambda: NO_DRIVER)
        return report.examine()


def test_it_is_json_with_a_schema(found: dict[str, Any], capsys, monkeypatch) -> None:
    monkeypatch.setattr(report, "examine", lambda: found)
    assert main_of("doctor", ["--json"]) == OK
    printed = json.loads(capsys.readouterr().out)
    assert printed == found
    assert (printed["schema"], printed["broken"]) == (1, [])
    assert printed["bytecode"] == ["13.1", "13.2", "13.3", "13.4", "13.5"]
    assert [row["able"] for row in printed["abilities"][:3]] == [True, True, True]
    assert printed["cache"]["folder"] is None  # as for all tests


def test_everybody_can_read_it(found: dict[str, Any], capsys, monkeypatch) -> None:
    monkeypatch.setattr(report, "examine", lambda: found)
    assert main_of("doctor", []) == OK
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert not re.search(r" $", out, re.M)
    assert all(str(tool["path"] or "") in out for tool in found["tools"])
    assert "compiled kernels are not kept" in out
    shown = re.search(r"^```text\n(tileir .*?^this machine can.*?)^```$", PAGE, re.M | re.S)[1]
    rows = [re.split(r"  +", line.strip())[0] for line in shown.splitlines() if line.strip()]
    printed = [re.split(r"  +", line.strip())[0] for line in out.splitlines() if line.strip()]
    titles = [row for row in rows[1:] if not re.match(r"\d|to install", row)]
    assert [row for row in printed if row in titles] == titles


PAGE = (ROOT / "docs" / "guide" / "doctor.md").read_text()


def test_what_is_needed_is_what_pip_is_told() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = {"": project["dependencies"], **project["optional-dependencies"]}
    for package in packages():
        if package.extra is None:
            continue
        lines = [re.match(r"([\w-]+)([^;]*)", line) for line in told[package.extra]]
        bounds = {line[1]: line[2].strip() for line in lines}
        assert package.wanted == (bounds[package.name] or "any"), package.name
    assert {line.split(">")[0] for line in told[""]} <= {package.name for package in packages()}
    assert set(PACKAGES.values()) <= {line.split("=")[0] for line in told["test"]}


def test_each_package_of_an_extra_for_users_has_a_row() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = extras["optional-dependencies"]
    users = [name for name in extras if name not in ("test", "docs", "browser", "stores")]
    asked = {re.match(r"[\w-]+", line)[0] for name in users for line in extras[name]}
    assert {"shtab", "distributed"} < asked
    assert asked - {"tileir"} <= {package.name for package in packages()}


@pytest.mark.parametrize(
    ("bounds", "version", "suits"),
    [
        (">=0.50", "0.50.0", True),
        (">=0.50", "0.51.0rc1", True),
        (">=0.50", "0.9", False),
        (">=2.10.70,<2.11", "2.11.0", False),
        (">=2.10.70,<2.11", "2.10.70", True),
        ("", "anything", True),
    ],
)
def test_versions(bounds: str, version: str, suits: bool) -> None:
    assert is_within(version, bounds) == suits


@pytest.mark.parametrize("bounds", ["==1.0", "~=1.0", "!=1.0", "<=1.0", ">1.0", "1.0"])
def test_other_bounds_are_not_taken_for_these(bounds: str) -> None:
    with pytest.raises(ValueError, match="are >= and <, not"):
        is_within("1.0", bounds)


def test_all_bounds_for_users_are_known() -> None:
    for package in packages():
        if not package.exact:
            is_within("1.0", supported_versions(package.name))


def test_tested_versions() -> None:
    package = Package("x", "", exact=("1.5.0", "1.6.0"))
    assert (package.supports("1.6.0"), package.supports("1.6.1")) == (True, False)


def test_what_is_not_installed() -> None:
    assert installed("no-such-distribution") is None


# The driver -------------------------------------------------------------------------------------


def driver(gpus: int = 1, cuda: int = 13000, failing: int = 0) -> SimpleNamespace:
    """A library with the driver's functions."""

    def write(value: int) -> Any:
        def function(out: Any, *_: Any) -> int:
            out._obj.value = value
            return 0

        return function

    def name(out: Any, size: int, device: Any) -> int:
        out.value = b"NVIDIA H100"
        return 0

    def attribute(out: Any, which: int, device: Any) -> int:
        out._obj.value = {75: 9, 76: 0}[which]
        return 0

    return SimpleNamespace(
        cuInit=lambda flags: failing, cuDriverGetVersion=write(cuda), cuDeviceGetCount=write(gpus),
        cuDeviceGet=write(0), cuDeviceTotalMem_v2=write(80 << 30), cuDeviceGetName=name,
        cuDeviceGetAttribute=attribute,
    )  # fmt: skip


def management() -> SimpleNamespace:
    """A library with the functions below nvidia-smi."""

    def release(out: Any, size: int) -> int:
        out.value = b"580.95.05"
        return 0

    return SimpleNamespace(nvmlInit_v2=lambda: 0, nvmlSystemGetDriverVersion=release)


def loader(**libraries: Any) -> nvidia.Load:
    """What finds these libraries, and no others."""

    def load(name: str) -> Any:
        known = {nvidia.DRIVER: libraries.get("cuda"), nvidia.MANAGEMENT: libraries.get("nvml")}
        if known[name] is None:
            raise OSError(name)
        return known[name]

    return load


def test_a_driver_with_gpus() -> None:
    assert LOOK(loader(cuda=driver(2), nvml=management())) == {
        "cuda": "13.0", "release": "580.95.05", "gpus": [HOPPER, HOPPER], "problem": None,
    }  # fmt: skip


def test_a_driver_without() -> None:
    found = LOOK(loader(cuda=driver(failing=100)))
    assert (found["cuda"], found["release"], found["gpus"]) == ("13.0", None, [])
    assert found["problem"] == "the driver finds no GPU that it can use (error 100)"


def test_no_driver() -> None:
    assert LOOK(loader()) == NO_DRIVER


# What it comes to -------------------------------------------------------------------------------

ALL = ("llvmlite", "numpy", "ml_dtypes", "cuda-bindings", "cuda-tile")


def has(*names: str) -> dict[str, dict[str, Any]]:
    """Packages of which these are installed."""
    versions = {package.name: package.wanted for package in packages()}
    return {
        name: {"name": name, "version": "1" if name in names else None, "ok": name in names,
               "supported": versions[name]}
        for name in ALL
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "about", "able", "detail"),
    [
        (ALL, {}, True, "as sm_90"),
        (ALL, {"gpus": [HOPPER, {**HOPPER, "capability": [12, 0]}]}, True, "as sm_90, sm_120"),
        (ALL, {"gpus": [{**HOPPER, "capability": [7, 0]}]}, False, "the GPU is an sm_70, older"),
        (ALL, {"cuda": "11.8"}, False, "the driver is of CUDA 11.8, 12.0 is needed"),
        (ALL, {"gpus": []}, False, "there is a driver, but no GPU"),
        (ALL, NO_DRIVER, False, "there is no NVIDIA driver"),
        (ALL[:3], {}, False, "cuda-bindings is not installed"),
    ],
)
def test_running_on_a_gpu(names: tuple, about: dict, able: bool, detail: str) -> None:
    there = {"cuda": "13.0", "release": "580", "gpus": [HOPPER], "problem": None, **about}
    row = report._on_a_gpu(has(*names), there)
    assert row["able"] == able
    assert row["detail"].startswith(detail)
    assert row["install"] == ('pip install "cuda-bindings>=12.9"' if names != ALL else "")


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with tileir and nothing else."""
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    monkeypatch.setattr(nvidia, "_find_nvvm", lambda: None)
    needed = {package.name for package in packages() if package.extra == ""}
    look = report.look
    monkeypatch.setattr(
        report, "look",
        lambda p: look(p) | ({} if p.name in needed else {"version": None, "ok": False}),
    )  # fmt: skip
    found = report.examine()
    assert [row["able"] for row in found["abilities"]] == [True] + [False] * 8
    assert found["broken"] == []
    assert found["install"] == [
        'pip install "llvmlite>=0.50,<0.51" numpy "ml_dtypes>=0.5"', "pip install cuda-tile==1.7.0",
        "pip install nvidia-cuda-nvcc", "pip install nvidia-cuda-nvdisasm",
        'pip install "pyelftools>=0.30"', "pip install nvidia-cuda-tileiras",
    ]  # fmt: skip


def test_a_release_that_will_not_do_is_installed_anew() -> None:
    here = has("numpy") | {"llvmlite": {**has()["llvmlite"], "version": "0.60"}}
    row, _ = report._compiling(here)
    assert (
        row["detail"] == "llvmlite 0.60 will not do, only >=0.50,<0.51; ml_dtypes is not installed"
    )
    assert row["install"] == 'pip install "llvmlite>=0.50,<0.51" "ml_dtypes>=0.5"'


def test_what_is_broken_is_said(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def fail() -> None:
        raise ValueError("the CPU is on fire\nand so on")

    monkeypatch.setattr(self_checks, "check_host", fail)
    look = report.look
    monkeypatch.setattr(
        report, "look",
        lambda p: look(p) | ({"version": "0.1", "ok": False} if p.name == "construct" else {}),
    )  # fmt: skip
    assert main_of("doctor", []) == NO
    out = capsys.readouterr().out
    assert re.search(r"compile and run on the CPU +no +ValueError: the CPU is on fire *\n", out)
    assert "broken: construct is 0.1, >=2.10.70,<2.11 is needed" in out
    assert "broken: ValueError: the CPU is on fire" in out


def test_an_llvm_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("libllvmlite.so is not found")

    monkeypatch.setattr(self_checks, "check_llvm", fail)
    found = report.examine()
    assert [row["what"] for row in found["abilities"] if row["broken"]] == [
        "compile and run on the CPU", "compile for GPUs",
    ]  # fmt: skip
    assert found["broken"] == ["OSError: libllvmlite.so is not found"]


def test_the_checks_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_checks, "_KERNEL", self_checks._KERNEL.replace("addf", "mulf"))
    assert (
        self_checks.problem_of(self_checks.check_host) == "RuntimeError: twice 3 is 9.0 on this CPU"
    )
    monkeypatch.setattr(self_checks, "_KERNEL", self_checks._KERNEL.replace("@twice", "@thrice"))
    assert self_checks.problem_of(self_checks.check_ptx) == "RuntimeError: the PTX lacks its entry"
    monkeypatch.setattr(self_checks.tileir, "verify", lambda bytecode: ["wrong"])
    assert "is not read as it was written" in self_checks.problem_of(self_checks.check_reading)


def test_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setenv("TILEIR_CACHE_SIZE", "5M")
    empty = {"folder": str(tmp_path / "kept"), "entries": 0, "bytes": 0, "limit": 5 << 20}
    assert self_checks.look_at_cache() == empty
    cache = Cache(tmp_path / "kept", 5 << 20)
    cache.put("0" * 64, b"code")
    (tmp_path / "kept" / "other").write_bytes(b"not ours")
    assert self_checks.look_at_cache() == empty | {"entries": 1, "bytes": 32 + 4}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, found: dict[str, Any], capsys) -> Any:
    """Prints the report with what is found of the shared store now; returns that and the text."""

    def tell() -> tuple[dict[str, Any] | None, str]:
        row = shared_store.look()
        monkeypatch.setattr(report, "examine", lambda: found | {"shared_store": row})
        assert main_of("doctor", []) == OK
        return row, capsys.readouterr().out

    return tell


def test_no_shared_store(told) -> None:
    row, out = told()
    assert row is None
    assert "shared store" not in out


def test_a_shared_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told) -> None:
    """Nothing of what is tried out stays there."""
    monkeypatch.setenv("TILEIR_CACHE_SHARED", str(tmp_path / "store"))
    row, out = told()
    assert (row["reachable"], row["writable"], row["key"]) == (True, True, False)
    assert f"shared store {tmp_path / 'store'}: reachable, writable; not used" in out
    assert "no key: who may write there may run code here" in out
    key = tmp_path / "key"
    key.write_text("0123456789abcdef")
    monkeypatch.setenv("TILEIR_CACHE_KEY_FILE", str(key))
    key.chmod(0o600)
    assert told()[1].splitlines()[-1] == "  entries need the HMAC of a key"
    key.chmod(0o644)
    assert told()[1].splitlines()[-1].endswith("a key, whose file others may read")
    assert [path for path in (tmp_path / "store").rglob("*") if path.is_file()] == []
    key.write_text("short")
    assert "not reachable (TILEIR_CACHE_KEY_FILE: " in told()[1]


def test_a_shared_store_that_is_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told
) -> None:
    monkeypatch.setenv("TILEIR_CACHE_SHARED", "nothing://me:secret@there")
    row, out = told()
    assert not row["reachable"]
    assert "shared store nothing://...@there: not reachable (ValueError: Protocol not" in out
    assert "secret" not in out
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILEIR_CACHE_SHARED", f"file://{tmp_path}/file/store")
    row, out = told()
    assert not row["writable"]
    assert "Not a directory" in row["problem"]


def test_tools_say_their_release(tool) -> None:
    tool("ptxas", "--version")  # or skip
    about = nvidia.look_at_tool("ptxas")
    assert re.fullmatch(r"\d+\.\d+\.\d+", about["release"])
    assert {"sm_80", "sm_90", "sm_120"} <= set(about["targets"])


def test_targets_of_ours_that_a_tool_lacks_are_told() -> None:
    about = {"path": "/ptxas", "release": "13.0.88", "package": "p", "targets": list(GPUS)}
    assert report._assembling(about)["detail"] == "ptxas 13.0.88, sm_75 to sm_121"
    about["targets"] = ["sm_50", *(name for name in GPUS if name not in ("sm_88", "sm_107"))]
    detail = report._assembling(about)["detail"]
    assert detail == "ptxas 13.0.88, sm_50 to sm_121, not sm_88, sm_107"


def test_a_tool_that_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "find", lambda name: tmp_path / "gone")
    about = nvidia.look_at_tool("ptxas")
    assert (about["release"], about["targets"]) == (None, [])
    assert "ptxas None, GPUs unknown" not in report._assembling(about)["detail"]


def test_a_library_that_is_no_whole_driver() -> None:
    """As a stand-in of the driver may be, which has what launches need."""
    about = LOOK(loader(cuda=object()))
    assert about["gpus"] == []
    assert about["problem"].startswith(f"{nvidia.DRIVER} is not a whole driver: ")
