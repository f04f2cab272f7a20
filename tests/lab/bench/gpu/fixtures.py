"""The fixtures with the launches that come with them, as a GPU can check them without tileir."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.codegen.emulator.values import aligned
from tests.launches import NAMES, Launch, newest
from tileir.codegen import compile
from tileir.codegen.arguments.tensor_maps import entry_for
from tileir.codegen.emulator.running.packing import Reach, packed_rows
from tileir.errors import UnsupportedError


def write(folder: Path, target: str, names: Sequence[str] = NAMES) -> Iterator[str]:
    """Write PTX, launches and arrays of the fixtures; yield what is not there, and why."""
    rows, arrays = {}, {}
    for name in names:
        about = Launch(name)
        try:
            compiled = compile(newest(name), target)
        except UnsupportedError as problem:
            yield f"{name}: {str(problem).splitlines()[0]}"
            continue
        rows[name] = _row(about, compiled.plan[about.entry])
        rows[name]["file"] = f"fixture_{name}.ptx"
        (folder / rows[name]["file"]).write_text(compiled.ptx)
        for array in about.dtypes:
            arrays[f"{name}/{array}"] = about.data[array]
            arrays[f"{name}/{array}.expected"] = about.expected(array)
    np.savez_compressed(folder / "fixtures.npz", **arrays)
    (folder / "fixtures.json").write_text(json.dumps(rows) + "\n")


def _row(about: Launch, plan: dict[str, Any]) -> dict[str, Any]:
    """The launch of a fixture, whose arrays will lie at multiples of 256 bytes."""
    arrays = {name: aligned(array) for name, array in about.arrays().items()}
    rows = plan["parameters"]
    packed = packed_rows(rows, about.arguments(arrays), Reach([]))
    chosen = entry_for(about.entry, plan, packed)
    tiles = dict(zip("xyz", [*about.grid, 1, 1][:3], strict=True))
    given = [
        {"array": row["array"]} if "array" in row
        else {"bytes": packed[each["offset"] : each["offset"] + each["size"]].hex(),
              "number": int.from_bytes(packed[each["offset"] : each["offset"] + each["size"]],
                                       "little", signed=True)}
        for row, each in zip(about.parameters, rows, strict=True)
    ]  # fmt: skip
    return {
        "entry": chosen["entry"],
        "grid": [tiles[a] * n for a, n in zip(plan["grid"], plan["grid_scale"], strict=True)],
        "block": chosen["block"], "shared": chosen["dynamic_shared_memory"],
        "heap": plan["heap"], "tensor_maps": chosen["tensor_maps"], "given": given,
        "arrays": {name: str(dtype) for name, dtype in about.dtypes.items()},
        "outputs": about.outputs, "tolerance": about.tolerance,
    }  # fmt: skip
