"""Tensor maps from the recipes of a launch plan, and the entry that its guard chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tileir.codegen.arguments.tensor_maps import entry_for, tensor_maps
from tileir.codegen.emulator.errors import emulation_error
from tileir.codegen.emulator.memory.tensor_map import BYTES, TensorMap
from tileir.errors import LaunchError

from .packing import Reach, packed_rows


def with_tensor_maps(plan: Mapping[str, Any], args: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """Return the plan of the entry to launch, and the arguments with its tensor maps behind them.

    They become parameters of that plan. EmulationError if the guard fails and there is no twin.
    """
    if not plan.get("tensor_maps") or not _as_many(plan["parameters"], args):
        return plan, args
    packed = packed_rows(plan["parameters"], args, Reach([]))
    try:
        chosen = entry_for(plan["entry"], plan, packed)
    except LaunchError as problem:
        raise emulation_error("launch", str(problem)) from None
    rows, maps = list(plan["parameters"]), tensor_maps(chosen, packed)
    for recipe in chosen["tensor_maps"]:
        place = {"offset": recipe["offset"], "size": recipe["size"]}
        rows.append({"index": len(rows), "type": "tensor_map", **place})
    given = [TensorMap(**each._asdict()) for each in maps]
    return {**chosen, "parameters": rows, "tensor_maps": []}, [*args, *given]


def lacking(plan: Mapping[str, Any]) -> str:
    """Return which entry about tensor maps a plan has that is invalid; "" if it has none."""
    rows = plan["parameters"]
    zeros = bytes(max((row["offset"] + row["size"] for row in rows), default=0))
    try:
        for recipe in plan.get("tensor_maps", ()):
            if type(recipe["offset"]) is not int or recipe["size"] != BYTES:
                return "tensor_maps"
        tensor_maps(plan, zeros)
    except (KeyError, TypeError, IndexError):
        return "tensor_maps"
    try:
        entry_for("", plan, zeros)
    except (KeyError, TypeError, IndexError):
        return "guard"
    except LaunchError:
        pass  # zeros are not what the kernel will be given
    return ""


def _as_many(rows: Sequence[Any], args: Any) -> bool:
    """Whether there is an argument for each parameter; if not, packing says so."""
    return isinstance(args, Sequence) and len(args) == len(rows)
