"""Only `tileir` reaches site-packages; inspect works from a checkout, an install and a wheel."""

from __future__ import annotations

import email
import json
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from tests.corpus import INVALID, ROOT, VALID
from tests.installed import build_wheel

KERNEL = ROOT / "fixtures" / "13.4" / "vector_add.tileirbc"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the backend that is installed."""
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
def test_only_tileir_reaches_site_packages(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"tileir"}
    for needed in (
        "tileir/py.typed",
        "tileir/builder/op_methods.pyi",
        "tileir/formats/ops/core.py",
        "tileir/formats/TABLES.md",
        "tileir/formats/tileir.ksy",
        "tileir/codegen/__init__.py",
        "tileir/commands/inspect.py",
        "tileir/playground/client/worker.js",
        "tileir/report/client/shell.html",
        "tileir/report/client/report.css",
        "tileir/report/client/view.js",
    ):
        assert needed in names
    assert not any("tests" in name or "fixtures" in name for name in names)


@pytest.mark.slow
def test_every_module_of_the_checkout_is_in_the_wheel(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for layer, prefix in (("tileir", ""), ("formats", "tileir/"), ("codegen", "tileir/")):
        for path in (ROOT / layer).rglob("*.py"):
            assert f"{prefix}{path.relative_to(ROOT).as_posix()}" in names


@pytest.mark.slow
def test_the_long_description_has_no_link_that_a_package_index_lacks(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        found = email.message_from_bytes(archive.read(name))
    assert found["Description-Content-Type"] == "text/markdown"
    text = found.get_payload()
    assert isinstance(text, str)
    assert text.startswith("# tileir\n")
    assert not [link for link in re.findall(r"\]\(([^)]*)\)", text) if "://" not in link]


def test_links_of_the_long_description() -> None:
    pytest.importorskip("hatchling", reason="hatchling is part of tileir[test]")
    from hatch_build import with_absolute_links

    text = (
        "![report](a/b.png) [x y](docs/x.md#z), [w](https://w.org), [h](#h)\n```sh\n[a](b)\n```\n"
    )
    kept = "[w](https://w.org), [h](#h)\n```sh\n[a](b)\n```\n"
    assert with_absolute_links(text, "") == f" x y, {kept}"
    for url in ("https://host/tileir/blob/main", "https://host/tileir/blob/main/"):
        file = "https://host/tileir/blob/main"
        expected = f"![report]({file}/a/b.png?raw=true) [x y]({file}/docs/x.md#z), {kept}"
        assert with_absolute_links(text, url) == expected
    readme = with_absolute_links((ROOT / "README.md").read_text(), file)
    assert f"]({file}/docs/index.md)" in readme
    assert not [link for link in re.findall(r"\]\(([^)]*)\)", readme) if "://" not in link]


KEPT = (
    "attributes",
    "builder",
    "codegen.nvptx.plan",
    "cutile",
    "cutile.plugin",
    "emulator",
    "errors",
    "formats.limits",
    "formats.version",
    "gpus",
    "inspect",
    "ir",
    "kernel_tuner",
    "pygments_lexer",
    "sampler",
    "types",
)
"""Modules that programs of others import by these names."""


@pytest.mark.slow
def test_what_others_import_is_there(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        "import importlib, tileir\n"
        f"for name in {KEPT}: importlib.import_module('tileir.' + name)\n"
        "for name in tileir.__all__: getattr(tileir, name)\n"
        "from tileir.ir import Block, Body, Op, Region, Value\n"
        "from tileir.builder import Kernel, Module, number, position, splat\n"
        "from tileir.sampler import sample\n"
        "from tileir.inspect import as_json, render\n"
        "print(tileir.__file__)\n"
    )
    environment = {"PYTHONPATH": str(tmp_path), "PATH": "", "HOME": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
    assert (tmp_path / "tileir" / "verifier" / "RULES.md").exists()
    for module in ("tileir.inspect", "tileir.cutile"):
        command = [sys.executable, "-m", module, "--help"]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, module


def run_inspect(python: str, environment: dict[str, str] | None = None, **options) -> str:
    done = subprocess.run(
        [python, "-m", "tileir.inspect", str(KERNEL)],
        capture_output=True,
        text=True,
        env=environment,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_inspect_works_from_a_checkout_and_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    from_checkout = run_inspect(sys.executable, cwd=ROOT)
    assert "entry @vector_add" in from_checkout
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    environment = {"PYTHONPATH": str(unpacked), "PATH": ""}
    assert run_inspect(sys.executable, environment, cwd=tmp_path) == from_checkout


@pytest.mark.slow
def test_inspect_works_from_an_editable_install(tmp_path: Path) -> None:
    """And it offers tileir alone, not the other folders of the checkout; make one by hand."""
    pytest.importorskip("hatchling", reason="hatchling is part of tileir[test]")
    out = tmp_path / "dist"
    command = [sys.executable, "-c", EDITABLE, str(out)]
    out.mkdir()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    python = bare_environment(tmp_path / "home", built)
    assert "entry @vector_add" in run_inspect(python, cwd=tmp_path)
    names = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    names = sorted(filter(str.isidentifier, names))
    assert {"codegen", "fixtures", "formats", "hatch_build", "tests", "tileir"} <= set(names)
    program = f"import importlib.util as u; print([n for n in {names} if u.find_spec(n)])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "['tileir']\n", done.stderr


EDITABLE = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"


def bare_environment(home: Path, wheel: Path) -> str:
    """The interpreter of an environment that has a wheel of tileir, construct, and nothing else."""
    venv.create(home, with_pip=False, system_site_packages=False)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    python = next((home / folder).glob("python*"))
    probe = "import sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", probe], capture_output=True, text=True, check=True)
    fill(Path(done.stdout.strip()), wheel)
    return str(python)


def fill(site: Path, wheel: Path) -> None:
    """Unpack a wheel into a folder, and copy construct into it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for file in metadata.files("construct") or ():
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file.locate(), site / file)


SCRIPT = ROOT / "tests" / "wasm" / "construct_alone.py"


@pytest.mark.slow
def test_construct_alone_is_enough(wheel: Path, tmp_path: Path) -> None:
    """Reading, verifying, text and building, with no other package; of one fixture in 24."""
    python = bare_environment(tmp_path / "home", wheel)
    program = [python, "-I", str(SCRIPT), str(ROOT / "fixtures"), "24"]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path)
    assert check_done(done, 24) == {"construct", "tileir"}


WASM = ROOT / "tests" / "wasm"


@pytest.mark.slow
def test_and_in_webassembly(wheel: Path, tmp_path: Path) -> None:
    """The same in Pyodide's CPython."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (WASM / "node_modules").is_dir():
        pytest.skip("Pyodide is not installed (npm ci --prefix tests/wasm)")
    fill(tmp_path, wheel)
    there = [f"/host{path}" for path in (SCRIPT, ROOT / "fixtures")]
    program = ["node", str(WASM / "run.mjs"), str(tmp_path), *there, "40"]
    done = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path)
    own = {"_pyodide", "pyodide", "pyodide_js"}
    assert check_done(done, 40) - own == {"construct", "tileir"}


def check_done(done: subprocess.CompletedProcess[str], every: int) -> set[str]:
    """Check what the script says that it did; return the packages that it imported."""
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["files"] == len(VALID[::every])
    assert told["refused"] == len(INVALID)
    rules = list((ROOT / "fixtures" / "invalid" / "rules").glob("*.tileirbc"))
    assert told["broken files made"] == len(rules)
    assert told["constants"] == 15
    return set(told["imported"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["formats", "codegen"])
def test_the_second_name_is_refused(name: str) -> None:
    """A checkout's root on the path must not give a second copy of a layer's modules."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert f"import this package as tileir.{name}" in done.stderr
