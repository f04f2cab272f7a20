"""Packages for tests: real ones, and such as nobody has made with `tileir package`."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from typing import Any

import tileir
from tileir.tilepack.making import make_package

TWO = """\
entry @first(%p: tile<ptr<i32>>, %n: tile<i32>) {
  %t = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
  return
}
entry @second() { return }
"""
TARGETS = ("sm_80", "sm_90")
OPTIONS = {"num_warps": 2}


@cache
def package() -> bytes:
    """A package of two small kernels for two GPUs."""
    return make_package(tileir.assemble(TWO), TARGETS, OPTIONS)


def members(data: bytes) -> dict[str, bytes]:
    """What is in a package, read without anything of ours."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of files, made without anything of ours."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def rewritten(change: Any) -> bytes:
    """The package with another manifest: `change` edits it in place."""
    files = members(package())
    manifest = json.loads(files["manifest.json"])
    change(manifest)
    return packed({**files, "manifest.json": json.dumps(manifest).encode()})


def made_for(*codes: tuple[str, str, str | None]) -> bytes:
    """A package whose code is none, for GPUs: target, ptx_target or "", cubin_target or None."""
    plan = json.loads(members(package())["sm_90/plan.json"])["second"]
    files: dict[str, bytes] = {}
    rows = []
    for target, ptx_target, cubin_target in codes:
        named = ptx_target or cubin_target
        parts = {"plan": json.dumps({"k": {**plan, "ptx_target": named}}).encode()}
        parts |= {"ptx": b"PTX"} if ptx_target else {}
        parts |= {"cubin": b"cubin"} if cubin_target else {}
        names = {"plan": "plan.json", "ptx": "kernels.ptx", "cubin": "kernels.cubin"}
        described = {}
        for kind, data in parts.items():
            name = f"{target}/{names[kind]}"
            sha256 = hashlib.sha256(data).hexdigest()
            described[kind] = {"name": name, "bytes": len(data), "sha256": sha256}
            files[name] = data
        row = {"target": target, "ptx_target": named, "cubin_target": cubin_target}
        rows.append({**row, "files": described})
    manifest = {"format": "tilepack", "schema": 1, "targets": rows}
    return packed({"manifest.json": json.dumps(manifest).encode(), **files})
