"""GPUs and their features, from the rows of `tileir.gpus`."""

from __future__ import annotations

from typing import get_args

from tileir.gpus import TARGETS, Feature, Target, described

from .markdown import table

FEATURES_HEAD = """\
**yes**: the GPU has it. **made**: ptxas makes it of other instructions. **a**: only PTX for the
form with the suffix a may use it. A PTX version is the one from which on it is there, where that
is not the one of the table above."""


def gpus() -> str:
    """Return a table of targets with their limits, and one of features."""
    limits = table(
        ("target", "its PTX runs on", "PTX", "`.target`", "shared memory of a block", "threads",
         "blocks", "tileiras 13.5"),
        (
            (f"`{row.name}`", described(row.ptx_target), "{}.{}".format(*row.ptx),
             f"`{row.ptx_target}`", f"{row.shared_bytes:,} bytes", f"{row.threads_per_sm:,}",
             row.blocks_per_sm, "no" if row.tileiras is None else "yes")
            for row in TARGETS.values()
        ),
    )  # fmt: skip
    return f"{limits}\n(gpu-features)=\n## Features\n\n{FEATURES_HEAD}\n\n{_features()}"


def _features() -> str:
    gpus = [row for row in TARGETS.values() if row.name == row.gpu]
    rows = [
        [f"`{feature}`", *(_mark(row, feature) for row in gpus)] for feature in get_args(Feature)
    ]
    return table(("feature", *(row.gpu.removeprefix("sm_") for row in gpus)), rows)


def _mark(row: Target, feature: Feature) -> str:
    if not row.has(feature):
        return ""
    if feature in row.specific:
        return "a"
    later = row.ptx_of(feature)
    mark = "made" if feature in row.emulated else "yes"
    return mark if later == row.ptx else f"{mark}, PTX {later[0]}.{later[1]}"
