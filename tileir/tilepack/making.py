"""Packages are made here: a module is compiled for each target, and everything put together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import tileir
from tileir.bytecode import Bytecode
from tileir.formats.forks import not_forking
from tileir.gpus import assembled_for

from .archive import write_archive
from .manifest import FORMAT, NAME, SCHEMA, file_row

CODE = ("ptx", "cubin")
"""What may be in a package for each target."""


def make_package(
    bytecode: Bytecode,
    targets: Sequence[str],
    options: Mapping[str, Any],
    emit: Sequence[str] = ("ptx",),
) -> bytes:
    """Return the bytes of a package: a module compiled for GPUs, in the order of `targets`.

    `options` are those of `tileir.compile`, which says what is raised; `emit` has "ptx", "cubin" or
    both. ToolError if a cubin is wanted and ptxas is missing or fails.
    """
    rows, members = [], {}
    for target in dict.fromkeys(targets):
        compiled: Any = tileir.compile(bytecode, target, **options)
        row, files = _target(compiled, emit, bool(options.get("lineinfo")))
        rows.append(row)
        members |= files
    with not_forking:
        from tileir.codegen.llvm import VERSION

    data = bytes(bytecode.data)
    manifest = {
        "format": FORMAT,
        "schema": SCHEMA,
        "tileir": tileir.__version__,
        "llvm": VERSION,
        "module": {
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
            "version": str(bytecode.version),
        },
        "options": {name: value for name, value in options.items() if value not in (None, False)},
        "targets": rows,
    }
    return write_archive({NAME: _json(manifest), **members})


def _target(
    compiled: Any, emit: Sequence[str], lines: bool
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the manifest's row of a target, and its files by their names."""
    first = next(iter(compiled.plan.values()), None)
    ptx_target = first["ptx_target"] if first else compiled.target
    files = {"plan": _json(compiled.plan)}
    if "ptx" in emit:
        files["ptx"] = compiled.ptx.encode()
    if "cubin" in emit:
        with not_forking:
            from tileir.codegen.cubins import assembled

        files["cubin"] = assembled(compiled.ptx, compiled.target, lines)
    named = {kind: file_row(compiled.target, kind, data) for kind, data in files.items()}
    row = {
        "target": compiled.target,
        "ptx_target": ptx_target,
        "ptx_version": first["ptx_version"] if first else None,
        "cubin_target": assembled_for(compiled.target, ptx_target) if "cubin" in emit else None,
        "entries": list(compiled.plan),
        "files": named,
    }
    return row, {named[kind]["name"]: data for kind, data in files.items()}


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
