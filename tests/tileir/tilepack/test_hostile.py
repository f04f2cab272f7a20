"""Packages that are damaged or lie: one error, little memory, and nothing is ever written."""

from __future__ import annotations

import contextlib
import io
import json
import random
import tracemalloc
import zipfile
from typing import Any

import pytest

from tileir.errors import PackageError
from tileir.tilepack.package import Package
from tileir.tilepack.plans import check_plans

from .making import members, package, packed, rewritten


def refused(data: bytes, message: str = "") -> None:
    with pytest.raises(PackageError) as caught:
        Package.parse(data)
    assert message in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip", b"\0" * 1000, packed({})])
def test_what_is_no_package(data: bytes) -> None:
    refused(data, "no package of kernels")


def test_every_part_of_one_is_none() -> None:
    whole = package()
    for end in range(0, len(whole), len(whole) // 40):
        refused(whole[:end])


def test_flipped_bits_are_found_or_do_not_matter() -> None:
    """What does not matter are dates, rights and the like, which an archive has for members."""
    whole, choice = package(), random.Random(7)
    same = Package.parse(whole)
    kept = 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(choice.choice((1, 1, 3))):
            data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
        try:
            found = Package.parse(bytes(data))
        except PackageError:
            continue
        kept += 1
        assert found.manifest == same.manifest
        assert all(found[name].ptx == same[name].ptx for name in same)
    assert kept < 100


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "sm_80/../../evil", "C:\\evil", "sm_80/", "more.txt", "\u202e"]
)
def test_members_that_nobody_named_are_refused(name: str) -> None:
    refused(packed({**members(package()), name: b"x"}), "is not in the manifest")


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "sm_90/kernels.ptx", "", None, 7])
def test_files_have_their_own_names(name: Any) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["targets"][0]["files"]["ptx"]["name"] = name

    refused(rewritten(change), "the ptx is not called sm_80/kernels.ptx")


def test_files_are_what_the_manifest_says() -> None:
    files = members(package())
    damaged = {**files, "sm_80/kernels.ptx": files["sm_90/kernels.ptx"]}
    refused(packed(damaged), "sm_80/kernels.ptx is damaged: it is not what the manifest says")
    less = {name: data for name, data in files.items() if name != "sm_80/plan.json"}
    refused(packed(less), "sm_80/plan.json is missing")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_are_there_once() -> None:
    out = io.BytesIO(package())
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("manifest.json", b"{}")
    refused(out.getvalue(), "two members are called manifest.json")


def test_bombs_are_not_decompressed() -> None:
    bomb = packed({**members(package()), "sm_80/kernels.cubin": bytes(60 << 20)}, 8)
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    refused(bomb, "bytes of members, where")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20
    refused(packed({f"{number}": b"" for number in range(2000)}), "2000 members, where 1024 are")


def test_other_methods_and_encryption_are_refused() -> None:
    refused(packed(members(package()), zipfile.ZIP_BZIP2), "is neither stored nor deflated")
    data = bytearray(package())
    data[data.index(b"PK\1\2") + 8] |= 1
    refused(bytes(data), "manifest.json is neither stored nor deflated")


@pytest.mark.parametrize(
    "manifest",
    [
        b"", b"{", b"[]", b"null", b"{}", b"\xff", b"[" * 100_000, b'{"format": "tilepack"}',
        b'{"format": "tilepack", "schema": 2}',
        b'{"format": "tilepack", "schema": 1}',
        b'{"format": "tilepack", "schema": 1, "targets": []}',
        b'{"format": "tilepack", "schema": 1, "targets": [[]]}',
        b'{"format": "tilepack", "schema": 1, "targets": [{"target": "../x"}]}',
        b'{"format": "tilepack", "schema": 1, "targets": [{"target": "sm_90"}]}',
    ],
)  # fmt: skip
def test_manifests_that_are_none(manifest: bytes) -> None:
    refused(packed({**members(package()), "manifest.json": manifest}))


ODD = (None, True, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, "sm_90\n", 1 << 80)


def test_any_value_may_be_of_any_kind(named) -> None:
    """Of the manifest, and of a plan, whose hash is then right: an error, or it does not matter."""
    files = members(package())
    for path in _paths(json.loads(files["manifest.json"]), 6):
        for odd in ODD:
            with named((path, odd)):
                manifest = json.loads(files["manifest.json"])
                _put(manifest, path, odd)
                _read(packed({**files, "manifest.json": json.dumps(manifest).encode()}))


def test_any_key_may_be_missing(named) -> None:
    files = members(package())
    for path in _paths(json.loads(files["manifest.json"]), 6):
        if path and isinstance(path[-1], str):
            with named(path):
                manifest = json.loads(files["manifest.json"])
                _delete(manifest, path)
                _read(packed({**files, "manifest.json": json.dumps(manifest).encode()}))


def test_a_target_is_a_name_that_launches_know() -> None:
    for wrong in ("sm_90b", "sm_9", "sm_٩٠", "sm_090"):
        files = {name.replace("sm_90", wrong): data for name, data in members(package()).items()}
        files["manifest.json"] = files["manifest.json"].replace(b"sm_90", wrong.encode())
        refused(packed(files), "is no target")


def test_plans_have_what_a_launch_needs(named) -> None:
    text = members(package())["sm_90/plan.json"]
    for path in _paths(json.loads(text)["first"], 3):
        for odd in ODD:
            with named((path, odd)):
                plans = json.loads(text)
                _put(plans["first"], path, odd)
                with contextlib.suppress(PackageError):
                    check_plans(plans, "plan.json", "sm_90")
    for name in ("entry", "parameters", "grid_limits", "twin"):
        plans = json.loads(text)
        del plans["first"][name]
        with pytest.raises(PackageError, match=f"plan.json: first has no valid '{name}'"):
            check_plans(plans, "plan.json", "sm_90")


def _read(data: bytes) -> None:
    """Read a package, and look at all that it has."""
    try:
        found = Package.parse(data)
    except PackageError:
        return
    for kernels in found.values():
        assert [repr(kernel) for kernel in kernels.values()]
        assert kernels.runs_on((99, 9)) in (True, False)


def _paths(value: Any, depth: int) -> list[tuple]:
    """Where values are inside of a JSON value."""
    if not depth or not isinstance(value, dict | list):
        return [()]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    below = [(key, *rest) for key, each in items for rest in _paths(each, depth - 1)]
    return [*below, *({path[:-1] for path in below if len(path) > 1})]


def _delete(value: Any, path: tuple) -> None:
    for key in path[:-1]:
        value = value[key]
    del value[path[-1]]


def _put(value: Any, path: tuple, new: object) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new
