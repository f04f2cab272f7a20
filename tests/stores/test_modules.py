"""`tileir batch` on modules in S3 and GCS: as on the same files in a folder, and with refusals."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main

from .servers import BUCKET, Refusing

pytestmark = [
    pytest.mark.stores,
    pytest.mark.filterwarnings("default"),  # what those packages leave open is theirs
]

FOLDER = f"s3://{BUCKET}/k"
Put = Callable[[str, bytes], None]


@pytest.fixture
def modules(tmp_path: Path) -> dict[str, bytes]:
    """Some modules by their paths below a folder, which is there as well; one of them is empty."""
    found = {"deep/empty.mlir": b"", "note.txt": b"no module"}
    for path in sorted((FIXTURES / "13.4").glob("*.tileirbc"))[:12]:
        found[path.name] = path.read_bytes()
    for name, data in found.items():
        path = tmp_path / "k" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return found


@pytest.fixture
def there(s3: Refusing, modules: dict[str, bytes], put: Put) -> Refusing:
    """The modules are in S3."""
    for name, data in modules.items():
        put(f"{FOLDER}/{name}", data)
    return s3


def verified(*paths: object) -> dict[str, tuple[bool, str]]:
    """Whether each module is well, and why it is not, by its path below the folder k."""
    done = call(main, "batch", "verify", "--executor", "tests.tileir.batches.inline:make",
                "-m", "-", *paths)  # fmt: skip
    records = map(json.loads, done.stdout.splitlines())
    return {
        re.split("/k/|!", each["file"])[-1]: (
            each["ok"],
            (each["message"] or "").rpartition(":")[2],
        )
        for each in records
    }


def test_folders_patterns_and_archives(
    bucket: str, modules: dict[str, bytes], put: Put, tmp_path: Path
) -> None:
    for name, data in modules.items():
        put(f"{bucket}/k/{name}", data)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in modules.items():
            archive.writestr(name, data)
    put(f"{bucket}/k.zip", packed.getvalue())
    here = verified(tmp_path / "k")
    assert len(here) == 13
    assert not here["deep/empty.mlir"][0]
    assert verified(f"{bucket}/k") == verified(f"{bucket}/k/") == here
    assert verified(f"{bucket}/k.zip") == here
    tops = {name: each for name, each in here.items() if name.endswith(".tileirbc")}
    assert verified(f"{bucket}/k/*.tileirbc") == tops
    assert verified(f"{bucket}/k/deep/empty.mlir") == {"deep/empty.mlir": here["deep/empty.mlir"]}


@pytest.mark.parametrize("path", [f"{BUCKET}/nothing", f"{BUCKET}/no.mlir", "elsewhere/k"])
def test_where_there_is_nothing(bucket: str, path: str) -> None:
    url = f"{bucket.partition(':')[0]}://{path}"
    done = call(main, "batch", "verify", url)
    assert (done.returncode, done.stderr) == (2, f"tileir batch: there is no {url}\n")


ADVICE = (
    "; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, say who asks, and"
    " FSSPEC_S3_ANON=true reads what is public\n"
)


def test_without_credentials(there: Refusing, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error says what to do; what it says works."""
    import boto3
    from fsspec.config import conf, set_conf_env
    from s3fs import S3FileSystem

    for each in boto3.resource("s3").Bucket(BUCKET).objects.all():
        each.Acl().put(ACL="public-read")
    S3FileSystem.clear_instance_cache()
    monkeypatch.setenv("HOME", "/nowhere")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    done = call(main, "batch", "verify", FOLDER)
    said = f"tileir batch: {FOLDER}: Unable to locate credentials{ADVICE}"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    monkeypatch.setitem(conf, "s3", {})
    set_conf_env(conf, {"FSSPEC_S3_ANON": "true"})
    assert call(main, "batch", "verify", FOLDER).stdout == "13 done (1 of them failed)\n"


def test_credentials_that_are_refused(there: Refusing) -> None:
    there.refused = lambda number: ("403 Forbidden", "AccessDenied")
    done = call(main, "batch", "verify", FOLDER)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines(keepends=True)
    assert line.startswith(f"tileir batch: {FOLDER}: ")
    assert line.endswith(ADVICE)


def test_one_request_in_ten_is_to_be_repeated(there: Refusing, tmp_path: Path) -> None:
    """The package repeats it, and nobody hears of it."""
    here = verified(tmp_path / "k")
    there.one_in_ten("503 Service Unavailable", "SlowDown")
    assert verified(FOLDER) == here
    assert there.count >= 1


def test_one_request_in_ten_fails(there: Refusing, tmp_path: Path) -> None:
    """Its module is told once, all others are done, and the next batch does what is left."""
    manifest = tmp_path / "m.jsonl"
    there.one_in_ten("409 Conflict", "OperationAborted")
    done = call(main, "batch", "stats", "-m", manifest, FOLDER)
    refused, there.refused = there.count, lambda number: None
    assert refused >= 1
    assert done.stdout == f"13 done ({refused + 1} of them failed)\n"
    told = [line for line in done.stderr.splitlines() if line.endswith(": refused by a test")]
    assert len(set(told)) == len(told) == refused
    assert len(done.stderr.splitlines()) == refused + 1
    done = call(main, "batch", "stats", "-m", manifest, FOLDER)
    assert done.stdout == f"{refused} done, {13 - refused} done before (1 of them failed)\n"
