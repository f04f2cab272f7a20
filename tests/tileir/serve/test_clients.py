"""The clients in examples/clients, in languages that have nothing of ours, get the same PTX."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT

from .client import SERVE

CLIENTS = ROOT / "examples" / "clients"
VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"


def compiler(name: str) -> str:
    """The path of a compiler; without it the test is skipped."""
    if sys.platform == "win32":
        pytest.skip("the clients are tested where there is POSIX")
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def built(*command: object) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


@pytest.fixture(params=["c", "rust"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A client, compiled without a warning; nothing is written beside its source."""
    if request.param == "c":
        path = tmp_path / "client"
        built(compiler("gcc"), "-Wall", "-Wextra", "-o", path, CLIENTS / "client.c")
        return path
    cargo = compiler("cargo")
    shutil.copytree(CLIENTS, tmp_path / "rust")
    built(cargo, "build", "--offline", "--quiet", "--manifest-path", tmp_path / "rust/Cargo.toml")
    return tmp_path / "rust" / "target" / "debug" / "tileir-client"


@pytest.mark.slow
def test_a_client_gets_ptx(client: Path) -> None:
    def run(target: str) -> subprocess.CompletedProcess[bytes]:
        command = [client, target, VECTOR_ADD, *SERVE]
        return subprocess.run(command, cwd=ROOT, capture_output=True, env=dict(os.environ))

    done = run("sm_90")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == tileir.compile(VECTOR_ADD.read_bytes(), "sm_90").ptx
    refused = run("sm_9")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr.startswith(b"unknown target 'sm_9', did you mean sm_90?")


def test_clients_are_short() -> None:
    """A protocol is small if a client fits on a page or two."""
    for path in CLIENTS.glob("client.*"):
        assert len(path.read_text().splitlines()) <= 100, path
