"""The table of GPUs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tileir.codegen.nvptx.machine.targets import TARGETS, Target
from tileir.codegen.targets import package_of
from tileir.errors import UnsupportedError
from tileir.verifier.rules.targets import GPUS

ROWS = pytest.mark.parametrize("row", TARGETS.values(), ids=lambda row: row.name)


def test_rows_are_found_by_name() -> None:
    assert tuple(TARGETS) == GPUS
    assert all(name == row.name for name, row in TARGETS.items())
    assert {package_of(name) for name in TARGETS} == {"nvptx"}


def test_an_unknown_gpu_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="unknown target 'sm_70'; known are host, sm_75,"):
        package_of("sm_70")
    with pytest.raises(TypeError, match=r"expected the name of a target, got \['sm_90'\]"):
        package_of(["sm_90"])


@ROWS
def test_a_driver_of_cuda_13_0_can_load_the_ptx(row: Target) -> None:
    assert row.ptx <= (9, 0)


@ROWS
def test_the_base_is_the_gpu_or_an_older_one(row: Target) -> None:
    number, base = (int(re.fullmatch(r"sm_(\d+)", name)[1]) for name in (row.name, row.base))
    assert base <= number
    assert row.base in TARGETS


@ROWS
def test_numbers_are_plausible(row: Target) -> None:
    assert row.max_threads % row.warp == 0
    assert row.feature == f"+ptx{row.ptx[0]}{row.ptx[1]}"
    assert row.shared_bytes % 1024 == 0


EMPTY = """\
.version {ptx[0]}.{ptx[1]}
.target {base}
.address_size 64
.visible .entry k() .reqntid {threads}, 1, 1 .minnctapersm {blocks} {{ ret; }}
"""


@pytest.mark.oracle
@ROWS
def test_ptxas_knows_what_an_sm_holds(row: Target, tool, tmp_path: Path) -> None:
    """It warns of more blocks or threads than that."""

    def fits(blocks: int, threads: int) -> bool:
        text = EMPTY.format(ptx=row.ptx, base=row.base, blocks=blocks, threads=threads)
        (tmp_path / "k.ptx").write_text(text)
        done = tool("ptxas", f"-arch={row.name}", "-o", tmp_path / "k", tmp_path / "k.ptx")
        assert done.returncode == 0, done.stderr
        return not done.stderr

    assert fits(row.blocks_per_sm, 32)
    assert not fits(row.blocks_per_sm + 1, 32)
    assert fits(row.threads_per_sm // 256, 256)
    assert not fits(row.threads_per_sm // 256 + 1, 256)
