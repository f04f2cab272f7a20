"""Measure the errors of the math library: ``python -m tests.codegen.scalar.math [--op NAME]``."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table

from tests.arguments import positive

from .expected import OPS
from .measure import ELEMENTS, Measured, arguments, measure, types_of


def main(given: list[str] | None = None) -> int:
    """Print a row per op and type; returns 1 if one breaks its bound."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.codegen.scalar.math", description=__doc__
    )
    parser.add_argument("--samples", type=positive, default=100_000, help="arguments a row")
    parser.add_argument("--op", choices=OPS, action="append", help="this op only; may be repeated")
    parser.add_argument("--type", choices=ELEMENTS, action="append", help="this type only")
    parser.add_argument("--seed", type=int, default=0, help="other samples")
    parser.add_argument(
        "--exhaustive", action="store_true", help="all 65536 values of f16 and bf16"
    )
    options = parser.parse_args(given)
    console = Console()
    rows = []
    for name in options.op or OPS:
        for element in options.type or ELEMENTS:
            for types in types_of(name, element):
                if console.is_terminal:
                    console.print(f"{name:6}{' '.join(types):10}", end="\r")
                samples = arguments(name, types, options.samples, options.exhaustive, options.seed)
                rows.append(measure(name, types, samples))
    console.print(_table(rows))
    return 0 if all(row.good for row in rows) else 1


def _table(rows: list[Measured]) -> Table:
    table = Table(title="Largest errors, in units in the last place of the exact result")
    for heading in ("op", "type"):
        table.add_column(heading)
    for heading in ("samples", "error", "bound"):
        table.add_column(heading, justify="right")
    table.add_column("at", overflow="fold")
    table.add_column("")
    for row in rows:
        verdict = "[green]ok" if row.good else f"[red]not {row.wrong or ''}"
        table.add_row(
            row.name, " ".join(row.types), f"{row.samples:,}", f"{row.error:.4f}",
            f"{row.bound:g}", ", ".join(f"{number!r}" for number in row.at), verdict,
        )  # fmt: skip
    return table


if __name__ == "__main__":
    sys.exit(main())
