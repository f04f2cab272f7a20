"""Checks of what a kernel assumes of its arguments: divisors of numbers and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tileir.errors import LaunchError


def check_assumed(shown: str, plan: Mapping[str, Any], packed: bytes | bytearray) -> None:
    """Raise LaunchError for an argument that is not divisible as the kernel assumes."""
    for row in plan["parameters"]:
        if (divisor := row.get("divisible_by", 1)) == 1:
            continue
        pointer = row["type"].startswith("ptr")
        data = packed[row["offset"] : row["offset"] + row["size"]]
        number = int.from_bytes(data, "little", signed=not pointer)
        if number % divisor:
            got = f"address {number:#x}" if pointer else number
            raise LaunchError(
                f"{shown}: parameter {row['index']} ({row['type']}): the kernel assumes a multiple"
                f" of {divisor}, got {got}"
            )
