"""The folder of a playground, without a browser: what is in it, and the door into Python."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import tileir
from tests.corpus import NEWEST
from tests.programs import call
from tileir.__main__ import main
from tileir.errors import ToolError
from tileir.playground import door, folder, runtime
from tileir.playground.policy import headers
from tileir.playground.serving import headers_in

KERNEL = NEWEST["vector_add"]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder that looks like the npm package."""
    root = tmp_path / "pyodide"
    root.mkdir()
    for name in runtime.FILES:
        (root / name).write_text(name)
    stated = {"name": runtime.PACKAGE, "version": runtime.VERSION}
    (root / "package.json").write_text(json.dumps(stated))
    return root


def test_the_folder_lists_what_is_in_it(package: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = call(main, "playground", "-o", site, "--pyodide", package)
    assert (done.returncode, done.stdout) == (0, "")
    there = {p.relative_to(site).as_posix(): p for p in site.rglob("*") if p.is_file()}
    listed = json.loads(there.pop("playground.json").read_text())["files"]
    assert listed == {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in there.items()
    }
    assert headers_in((site / "_headers").read_text()) == headers()
    for text in ("Mozilla Public License", "MIT License", "Apache License"):
        assert text in (site / "NOTICE.txt").read_text()


def test_a_playground_is_replaced_and_nothing_else(package: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    given = ("playground", "-o", site, "--pyodide", package)
    assert call(main, *given).returncode == 0
    manifest = json.loads((site / "playground.json").read_text())
    manifest["files"] |= {"old.js": "", "../kept": ""}
    (site / "playground.json").write_text(json.dumps(manifest))
    (site / "old.js").touch()
    (site / "mine").touch()
    (tmp_path / "kept").touch()
    assert call(main, *given).returncode == 0
    assert not (site / "old.js").exists()
    assert (site / "mine").exists()
    assert (tmp_path / "kept").exists()
    done = call(main, "playground", "-o", package, "--pyodide", package)
    assert (done.returncode, "no playground" in done.stderr) == (2, True)
    (site / "playground.json").write_text('{"files": [1]}')
    done = call(main, *given)
    assert (done.returncode, "no playground" in done.stderr) == (2, True)


def test_another_package_is_refused(package: Path, tmp_path: Path) -> None:
    given = ("playground", "-o", tmp_path / "site", "--pyodide", package)
    (package / "package.json").write_text('{"name": "pyodide", "version": "0.1"}')
    done = call(main, *given)
    assert (done.returncode, "pyodide 0.1" in done.stderr) == (2, True)
    for broken in ("[1]", "no JSON", '{"name": "pyodide"}'):
        (package / "package.json").write_text(broken)
        done = call(main, *given)
        assert (done.returncode, "its package.json is none" in done.stderr) == (2, True)
    (package / "pyodide.mjs").unlink()
    done = call(main, *given)
    assert (done.returncode, "has no pyodide.mjs" in done.stderr) == (2, True)


def test_npm_is_asked_for_one_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("package/package.json"))
    with pytest.raises(ToolError, match="another digest"):
        runtime.unpacked(out.getvalue())
    monkeypatch.setenv("PATH", str(tmp_path))
    done = call(main, "playground", "-o", tmp_path / "site")
    assert (done.returncode, "npm is not installed" in done.stderr) == (5, True)


def test_the_digest_is_that_of_the_lock_file() -> None:
    lock = Path(__file__).parents[2] / "wasm" / "package-lock.json"
    stated = json.loads(lock.read_text())["packages"]["node_modules/pyodide"]
    assert (stated["version"], stated["integrity"]) == (runtime.VERSION, runtime.INTEGRITY)


def test_the_archive_is_a_package_of_its_own(tmp_path: Path) -> None:
    data = folder.archive()
    assert data == folder.archive()
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
    assert "Apache License" in (tmp_path / "tileir" / "LICENSE").read_text("utf-8")
    assert (tmp_path / "construct" / "LICENSE").read_text("utf-8").strip()
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
        "import tileir, tileir.playground.door as door; print(tileir.__file__, door.about())"
    )
    command = [sys.executable, "-S", "-I", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))


def test_a_command_is_that_of_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / KERNEL.name).write_bytes(KERNEL.read_bytes())
    here = Path.cwd()
    for given in (["inspect", "--json", KERNEL.name], ["verify", "none"], ["dis", "--help"], []):
        told = json.loads(door.command(given, str(tmp_path)))
        with monkeypatch.context() as inside:
            inside.chdir(tmp_path)
            done = call(main, *given)
        assert told == {
            "code": done.returncode,
            "stdout": done.stdout,
            "stderr": done.stderr,
        }
    assert Path.cwd() == here
    told = json.loads(door.command(["dis", "-"], str(tmp_path), KERNEL.read_bytes()))
    assert told["stdout"] == tileir.disassemble(KERNEL.read_bytes())


def test_findings_are_counted_as_javascript_does() -> None:
    text = 'entry @"\U0001f600"() {\n  %x = addz "\U0001f600", %y\n  return\n}\n'
    (found,) = json.loads(door.findings(text))
    line = text.split("\n")[found["line"]].encode("utf-16-le")
    assert line[2 * found["start"] : 2 * found["end"]].decode("utf-16-le") == "addz"
    assert json.loads(door.findings("")) == []
