"""The servers, and machines that share a store at one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.codegen.cache.conftest import compiled, expected, machine  # noqa: F401 - fixtures
from tileir.messages.missing_packages import is_installed

from .servers import BUCKET, IDENTITY, Refusing, gcs_server, s3_server

PACKAGES = ("s3fs", "moto", "flask", "gcsfs", "gcp_storage_emulator")


@pytest.fixture(scope="session")
def installed() -> None:
    """All packages are there, or the test fails, as it was asked for."""
    lacking = [name for name in PACKAGES if not is_installed(name)]
    if lacking:
        pytest.fail(f"pip install -e '.[stores]' brings {', '.join(lacking)}")


@pytest.fixture(scope="session")
def _s3(installed: None) -> Iterator[tuple[str, Refusing]]:
    with s3_server() as server:
        yield server


@pytest.fixture(scope="session")
def _gcs(installed: None) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, gcs_server() as url:
        patch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")  # which speaks gRPC, with TLS
        yield url


@pytest.fixture
def s3(_s3: tuple[str, Refusing], monkeypatch: pytest.MonkeyPatch) -> Iterator[Refusing]:
    """S3 with an empty bucket; this process may read and write it."""
    import boto3
    from s3fs import S3FileSystem

    url, front = _s3
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", url)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    S3FileSystem.clear_instance_cache()
    bucket = boto3.resource("s3").create_bucket(Bucket=BUCKET)
    front.count = 0
    yield front
    front.refused = lambda number: None
    bucket.objects.delete()
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def gcs(_gcs: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """GCS with an empty bucket."""
    from gcsfs import GCSFileSystem

    monkeypatch.setenv("STORAGE_EMULATOR_HOST", _gcs)
    GCSFileSystem.clear_instance_cache()
    yield
    fs = GCSFileSystem()
    for path in fs.find(BUCKET):
        fs.rm_file(path)
    GCSFileSystem.clear_instance_cache()


@pytest.fixture(params=["s3", "gs"])
def bucket(request: pytest.FixtureRequest) -> str:
    """The URL of an empty bucket of either."""
    request.getfixturevalue({"s3": "s3", "gs": "gcs"}[request.param])
    return f"{request.param}://{BUCKET}"


@pytest.fixture
def put() -> Callable[[str, bytes], None]:
    """Put a file at a URL."""
    import fsspec

    def put(url: str, data: bytes) -> None:
        fs: Any
        fs, path = fsspec.url_to_fs(url)
        fs.pipe_file(path, data)

    return put
