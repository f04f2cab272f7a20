"""The bytecode of each kernel that a program makes, as files, and a list of them.

A kernel is written when cuTile has compiled it, before anything else is done with it, so that it is
there whatever happens next. Equal bytecode is one file, whoever writes it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tileir.bytecode import Bytecode, Function
from tileir.command_line.files import write_output
from tileir.messages.texts import printable

SCHEMA = 1
SUFFIX = ".tileirbc"
LIST = "kernels.json"
"""The file with the list of all others."""
LONGEST_NAME = 60
"""Characters of a kernel's name in the name of its file."""
MOST_GRIDS = 16
"""Different grids of a kernel that the list has."""


class Dump:
    """A folder of modules: `write` puts one there, `launched` counts launches of its kernels."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._before = {path.name for path in self.folder.glob(f"*{SUFFIX}")}
        self._rows: dict[str, dict[str, Any]] = {}
        self._owners: dict[Any, dict[str, Any]] = {}
        """What the driver launches -> the row of its kernel."""

    def write(self, bytecode: bytes) -> None:
        """Write a module that has kernels, if it is not there yet."""
        module = Bytecode.parse(bytecode)
        sha256 = hashlib.sha256(bytecode).hexdigest()
        if sha256 in self._rows or not module.functions:
            return
        self._rows[sha256] = row = _described(module, sha256)
        write_output(str(self.folder / row["file"]), bytecode)

    def loaded(self, bytecode: bytes, entries: Mapping[str, Any]) -> None:
        """Note what the driver has of the kernels of a module, by their symbols."""
        row = self._rows.get(hashlib.sha256(bytecode).hexdigest())
        for kernel in row["kernels"] if row else ():
            self._owners[entries[kernel["entry"]]] = kernel

    def launched(self, entry: Any, grid: Sequence[int]) -> None:
        """Count a launch of one of those."""
        kernel = self._owners.get(entry)
        if kernel is None:
            return
        kernel["launches"] += 1
        if list(grid) not in kernel["grids"] and len(kernel["grids"]) < MOST_GRIDS:
            kernel["grids"].append(list(grid))

    def listed(self) -> dict[str, Any]:
        """Return the list as an object; `tileir dump --help` has its keys.

        Modules that child processes have written are in it, without launches.
        """
        rows = list(self._rows.values())
        known = self._before | {row["file"] for row in rows}
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path.name not in known:
                data = path.read_bytes()
                row = _described(Bytecode.parse(data), hashlib.sha256(data).hexdigest())
                for kernel in row["kernels"]:
                    kernel |= {"launches": None, "grids": None}
                rows.append(row)
        return {"schema": SCHEMA, "modules": rows}

    def write_list(self) -> dict[str, Any]:
        """Write the list into the folder, and return it."""
        listed = self.listed()
        text = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
        write_output(str(self.folder / LIST), text.encode("utf-8", "backslashreplace"))
        return listed


def _described(module: Bytecode, sha256: str) -> dict[str, Any]:
    """Return the row of a module, without any launches."""
    kernels = [_kernel(function) for function in module.functions]
    name = re.sub(r"[^A-Za-z0-9_]+", "_", kernels[0]["name"])[:LONGEST_NAME]
    return {
        "file": f"{name}-{sha256[:12]}{SUFFIX}",
        "sha256": sha256,
        "bytes": len(module.data),
        "version": str(module.version),
        "kernels": kernels,
    }


def _kernel(function: Function) -> dict[str, Any]:
    from tileir.codegen.analysis.source_names import kernel_name

    return {
        "entry": printable(function.name),
        "name": printable(kernel_name(function)),
        "location": printable(str(function.location)) if function.location else None,
        "parameters": [str(type.element) for type in function.type.parameters],
        "launches": 0,
        "grids": [],
    }
