"""NVIDIA's assembler takes the kernels of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.emulator.ops.hopper import test_bulk_mistakes as bulk
from tests.codegen.emulator.ops.hopper import test_clusters as clusters
from tests.codegen.emulator.ops.hopper import test_copies_at_mbarriers as copies
from tests.codegen.emulator.ops.hopper import test_mbarriers as mbarriers
from tests.codegen.emulator.ops.hopper import test_registers as registers
from tests.codegen.emulator.ops.hopper import test_tensors as tensors
from tests.codegen.emulator.ops.hopper.bodies import ARRIVE, KEEP, MEMORY, OWN, READ, made
from tests.codegen.emulator.ops.hopper.boxes import load
from tests.codegen.emulator.snippets import HEAD, kernel

TWO = ("u64", "u64")
BODIES = {
    **{
        f"wait: {name}": (MEMORY + made(64) + OWN + ARRIVE + wait + READ + KEEP, TWO)
        for name, wait in mbarriers.WAITS.items()
    },
    "copies": (MEMORY + OWN + copies.COPY + copies.COPIED.format(".noinc"), TWO),
    "bulk load": (bulk.GOOD, TWO),
    "bulk store": (bulk.STORED, TWO),
    "cluster": (clusters.GOOD, TWO),
    "remote arrivals": (clusters.REMOTELY, TWO),
    "multicast": (clusters.MULTICAST, ("map", "u64")),
    "registers": (registers.ROLES.format(240, 24), TWO),
    **{
        f"box of rank {rank}": (MEMORY + load(rank, start[0], 256), ("map", "u64"))
        for rank, (_, _, start) in tensors.SHAPES.items()
    },
    "box stored": (tensors.store(2, (0, 0), 256, ".tile"), ("map", "u64")),
    "box added": (tensors.store(2, (0, 0), 256, reduce=".add"), ("map", "u64")),
}
"""What each shows -> a body and the kinds of its parameters."""


@pytest.mark.oracle
def test_the_kernels_are_ptx(tool, tmp_path: Path) -> None:
    head = HEAD.format(target="sm_90a")
    source = tmp_path / "k.ptx"
    source.write_text(
        head
        + "".join(
            kernel(body, kinds, threads=384, target="sm_90a", name=f"k{place}").removeprefix(head)
            for place, (body, kinds) in enumerate(BODIES.values())
        )
    )
    done = tool("ptxas", "-arch=sm_90a", "-O0", "-o", tmp_path / "k.cubin", source)
    assert done.returncode == 0, done.stderr
