"""The manifest of a package: made of what was compiled, and checked against what is there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from tileir.errors import PackageError
from tileir.gpus import is_name
from tileir.messages.texts import display, printable

NAME = "manifest.json"
FORMAT = "tilepack"
SCHEMA = 1
MOST_BYTES = 16 << 20

FILES = {"plan": "plan.json", "ptx": "kernels.ptx", "cubin": "kernels.cubin"}
"""What a file of a target is -> its name in the target's folder."""

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


def file_row(target: str, kind: str, data: bytes) -> dict[str, Any]:
    """Return the row of a file of a target."""
    name = f"{target}/{FILES[kind]}"
    return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def read_manifest(members: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the manifest of a package's members, which are what it says that they are.

    PackageError for anything that is not so.
    """
    if NAME not in members:
        raise PackageError(f"no package of kernels: there is no {NAME}")
    manifest = parsed(members[NAME], NAME)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise PackageError(f'no package of kernels: {NAME} has no "format": "{FORMAT}"')
    if manifest.get("schema") != SCHEMA:
        found = display(str(manifest.get("schema")))
        raise PackageError(f"the package has schema {found}, and this release reads {SCHEMA}")
    named = {NAME}
    for row in _rows(manifest):
        named |= _checked_files(row, members)
    for name in members:
        if name not in named:
            raise PackageError(f"{display(name)} is not in the manifest")
    return manifest


def parsed(data: bytes, name: str) -> Any:
    """Return what a member has as JSON; PackageError if it is none."""
    if len(data) > MOST_BYTES:
        raise PackageError(f"{name}: {len(data)} bytes, where {MOST_BYTES} are the most")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PackageError(f"{name}: not JSON: {printable(str(error))}") from None


def _rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the targets, whose own members have the types that they must."""
    rows = manifest.get("targets")
    if not isinstance(rows, list) or not rows:
        raise PackageError(f"{NAME}: targets is no list of targets")
    names = set()
    for row in rows:
        target = row.get("target") if isinstance(row, dict) else None
        if not is_name(target) or target in names:
            raise PackageError(f"{NAME}: {display(str(target))} is no target, or there twice")
        names.add(target)
        cubin_target = row.get("cubin_target")
        if not is_name(row.get("ptx_target")) or (
            cubin_target is not None and not is_name(cubin_target)
        ):
            raise PackageError(f"{NAME}: {target}: ptx_target or cubin_target is no target")
    return rows


def _checked_files(row: Mapping[str, Any], members: Mapping[str, bytes]) -> set[str]:
    """Return the names of a target's files, which are there, and have the right hashes."""
    target, files = row["target"], row.get("files")
    if not isinstance(files, dict) or "plan" not in files or len(files) < 2:
        raise PackageError(f"{NAME}: {target}: files lacks a plan, or code")
    if ("cubin" in files) != (row.get("cubin_target") is not None):
        raise PackageError(f"{NAME}: {target}: a cubin and its cubin_target come together")
    for kind, file in files.items():
        if kind not in FILES:
            raise PackageError(f"{NAME}: {target}: a file is no {display(kind)}")
        name = f"{target}/{FILES[kind]}"
        if not isinstance(file, dict) or file.get("name") != name:
            raise PackageError(f"{NAME}: {target}: the {kind} is not called {name}")
        said, data = file.get("sha256"), members.get(name)
        if data is None:
            raise PackageError(f"{name} is missing")
        if not isinstance(said, str) or not _SHA256.fullmatch(said):
            raise PackageError(f"{NAME}: {name}: sha256 is no hash")
        if file.get("bytes") != len(data) or hashlib.sha256(data).hexdigest() != said:
            raise PackageError(f"{name} is damaged: it is not what the manifest says")
    return {f"{target}/{FILES[kind]}" for kind in files}
