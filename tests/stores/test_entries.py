"""The store that machines share, in S3 and GCS: what it gives, and what its failures cost."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import fsspec
import pytest

import tileir
from tests.codegen.cache.shared_jobs import NAMES, Machine, compile_all, module
from tileir.codegen.cache.remote_files import RemoteFiles
from tileir.codegen.cache.shared import SharedStore
from tileir.remote.file_systems import read_file

from .servers import BUCKET, Refusing

pytestmark = [
    pytest.mark.stores,
    pytest.mark.filterwarnings("default"),  # what those packages leave open is theirs
]

STORE = f"s3://{BUCKET}/store"


def test_the_second_machine_compiles_nothing(
    bucket: str, machine: Machine, compiled: list[str], expected: list[Any]
) -> None:
    for _ in range(2):
        machine(f"{bucket}/store")
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            assert compile_all() == expected
        assert len(compiled) == len(NAMES)


def test_files_are_read_replaced_listed_and_removed(bucket: str) -> None:
    files = RemoteFiles(f"{bucket}/files")
    assert files.read("ab/x", 100) is None
    assert files.add("ab/x", b"first")
    assert files.read("ab/x", 100) == b"first"
    assert files.read("ab/x", 2) == b"fir", "one byte more than asked for says that there are more"
    files.replace("ab/x", b"")
    assert files.read("ab/x", 100) == b""
    assert files.sizes("", "x") == [0]
    files.remove("ab/x")
    assert files.sizes("", "x") == []
    assert SharedStore(f"{bucket}/store").probe() == (True, "")


def test_the_first_entry_stays(s3: Refusing) -> None:
    """By one request: the store itself refuses the second, and nobody looks before."""
    files, others = RemoteFiles(STORE), RemoteFiles(STORE)
    assert files.add("ab/x", b"first")
    asked: list[int] = []
    s3.refused = lambda number: asked.append(number)
    assert not others.add("ab/x", b"second")
    assert len(asked) == 1
    assert files.read("ab/x", 100) == b"first"


def test_entries_that_are_empty_are_made_anew(
    bucket: str, machine: Machine, compiled: list[str], expected: list[Any]
) -> None:
    """As a writer leaves them that was cut off; a range of them cannot be asked for."""
    machine(f"{bucket}/store")
    compile_all()
    fs: Any
    fs, path = fsspec.url_to_fs(f"{bucket}/store", use_listings_cache=False)
    for each in fs.find(path):
        fs.pipe_file(each, b"")
    compiled.clear()
    machine(f"{bucket}/store")
    with pytest.warns(RuntimeWarning, match="is damaged") as told:
        assert compile_all() == expected
    assert len([each for each in told if "TILEIR" in str(each.message)]) == 1
    assert len(compiled) == len(NAMES)
    compiled.clear()
    machine(f"{bucket}/store")
    assert compile_all() == expected
    assert compiled == []


def test_a_refusal_is_no_empty_file(s3: Refusing) -> None:
    """Also of an object that is empty: only that its range is refused says so."""
    files = RemoteFiles(STORE)
    files.replace("ab/x", b"")
    asked: list[int] = []

    def once(number: int) -> tuple[str, str] | None:
        asked.append(number)
        return ("409 Conflict", "OperationAborted") if len(asked) == 1 else None

    s3.refused = once
    with pytest.raises(OSError, match="refused by a test"):
        files.read("ab/x", 100)
    assert files.read("ab/x", 100) == b""


@pytest.mark.parametrize(("status", "data"), [(416, b""), (400, None), (500, None)])
def test_what_gcs_refuses(installed: None, status: int, data: bytes | None) -> None:
    """The emulator answers a range of an empty object; GCS says 416, which gcsfs makes an error."""
    from gcsfs.retry import HttpError, validate_response

    class Refusal:
        protocol = "gs"

        def cat_file(self, path: str, start: int, end: int) -> bytes:
            validate_response(status, b"<Error>The range cannot be satisfied</Error>", path)
            raise AssertionError

    if data is None:
        with pytest.raises(HttpError):
            read_file(Refusal(), "kernels/x", 100)
    else:
        assert read_file(Refusal(), "kernels/x", 100) == data


def test_one_request_in_ten_fails(
    s3: Refusing, machine: Machine, compiled: list[str], expected: list[Any]
) -> None:
    s3.one_in_ten("409 Conflict", "OperationAborted")
    for _ in range(3):
        machine(STORE)
        with pytest.warns(RuntimeWarning, match="refused by a test") as told:
            assert compile_all() == expected
        assert len([each for each in told if "TILEIR" in str(each.message)]) == 1
    assert len(NAMES) < len(compiled) < 3 * len(NAMES), "most requests are of use"


def test_without_credentials(
    s3: Refusing, machine: Machine, expected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One warning says what to do; results are the same."""
    machine(STORE)
    monkeypatch.setenv("HOME", "/nowhere")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    said = "Unable to locate credentials; AWS_ACCESS_KEY_ID and .* say who asks"
    with pytest.warns(RuntimeWarning, match=said) as told:
        assert compile_all() == expected
    assert len([each for each in told if "TILEIR" in str(each.message)]) == 1


def test_a_batch_whose_store_refuses_one_request_in_ten(
    s3: Refusing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its children ask the store: files are the same, no job fails, and entries are left there."""
    modules = [(name, module(name)) for name in NAMES]

    def made() -> dict[str, dict[str, bytes]]:
        found = tileir.batch(modules, "compile", targets="sm_90", workers=2)
        return {record["file"]: files for record, files in found if record["ok"]}

    plain = made()
    assert list(map(len, plain.values())) == [1] * len(NAMES)
    s3.one_in_ten("409 Conflict", "OperationAborted")
    monkeypatch.setenv("TILEIR_CACHE_SHARED", STORE)
    for number in range(3):
        monkeypatch.setenv("TILEIR_CACHE_DIR", str(tmp_path / f"machine {number}"))
        assert made() == plain
    assert s3.count >= 1
    s3.refused = lambda number: None
    assert RemoteFiles(STORE).sizes("", ".tileir")
