"""Occupancy is what NVIDIA's own header computes."""

from __future__ import annotations

import pytest

from tileir.resources.occupancy import occupancy

ROWS = (
    ("sm_75", 256, 40, 20000, 0, 3, "shared memory"),
    ("sm_75", 64, 255, 0, 2, 4, "registers"),
    ("sm_75", 32, 32, 1000, 16, 16, "blocks"),
    ("sm_75", 96, 56, 0, 16, 10, "threads"),
    ("sm_80", 192, 40, 8192, 0, 8, "registers"),
    ("sm_80", 192, 40, 33000, 1, 4, "shared memory"),
    ("sm_80", 32, 32, 1000, 16, 32, "blocks"),
    ("sm_80", 96, 24, 1000, 1, 21, "threads"),
    ("sm_86", 32, 64, 20000, 1, 4, "shared memory"),
    ("sm_86", 128, 168, 1000, 0, 3, "registers"),
    ("sm_86", 32, 32, 0, 16, 16, "blocks"),
    ("sm_86", 256, 32, 0, 4, 6, "threads"),
    ("sm_87", 128, 56, 8192, 2, 9, "registers"),
    ("sm_87", 64, 64, 33000, 16, 4, "shared memory"),
    ("sm_87", 512, 24, 20000, 0, 3, "threads"),
    ("sm_87", 32, 56, 1000, 0, 16, "blocks"),
    ("sm_88", 512, 64, 8192, 0, 2, "registers"),
    ("sm_88", 64, 24, 101376, 4, 1, "shared memory"),
    ("sm_88", 1024, 24, 50000, 1, 1, "threads"),
    ("sm_88", 64, 32, 0, 0, 16, "blocks"),
    ("sm_89", 512, 24, 1000, 4, 3, "threads"),
    ("sm_89", 256, 255, 8192, 4, 1, "registers"),
    ("sm_89", 96, 64, 20000, 1, 4, "shared memory"),
    ("sm_89", 32, 32, 1000, 0, 24, "blocks"),
    ("sm_90", 192, 24, 50000, 0, 4, "shared memory"),
    ("sm_90", 96, 56, 8192, 4, 12, "registers"),
    ("sm_90", 256, 24, 0, 4, 8, "threads"),
    ("sm_90", 32, 56, 20000, 16, 4, "barriers"),
    ("sm_90", 32, 32, 1000, 0, 32, "blocks"),
    ("sm_100", 96, 40, 232448, 0, 1, "shared memory"),
    ("sm_100", 96, 24, 0, 16, 4, "barriers"),
    ("sm_100", 256, 40, 20000, 1, 6, "registers"),
    ("sm_100", 512, 24, 8192, 4, 4, "threads"),
    ("sm_100", 32, 56, 1000, 2, 32, "blocks"),
    ("sm_103", 384, 56, 232448, 4, 1, "shared memory"),
    ("sm_103", 32, 32, 8192, 4, 8, "barriers"),
    ("sm_103", 512, 24, 0, 1, 4, "threads"),
    ("sm_103", 512, 56, 1000, 0, 2, "registers"),
    ("sm_103", 32, 40, 1000, 1, 32, "blocks"),
    ("sm_107", 384, 96, 8192, 4, 1, "registers"),
    ("sm_107", 512, 40, 8192, 0, 2, "threads"),
    ("sm_107", 32, 168, 33000, 4, 4, "barriers"),
    ("sm_107", 256, 40, 232448, 1, 1, "shared memory"),
    ("sm_107", 32, 24, 0, 0, 16, "blocks"),
    ("sm_110", 64, 56, 8192, 4, 6, "barriers"),
    ("sm_110", 192, 32, 50000, 4, 4, "shared memory"),
    ("sm_110", 1024, 32, 1000, 2, 1, "threads"),
    ("sm_110", 96, 168, 8192, 1, 4, "registers"),
    ("sm_110", 32, 24, 8192, 1, 24, "blocks"),
    ("sm_120", 128, 64, 50000, 2, 2, "shared memory"),
    ("sm_120", 256, 168, 20000, 4, 1, "registers"),
    ("sm_120", 256, 24, 20000, 16, 1, "barriers"),
    ("sm_120", 1024, 32, 1000, 0, 1, "threads"),
    ("sm_120", 32, 24, 1000, 1, 24, "blocks"),
    ("sm_121", 512, 32, 8192, 4, 3, "threads"),
    ("sm_121", 96, 64, 1000, 0, 10, "registers"),
    ("sm_121", 128, 32, 1000, 4, 6, "barriers"),
    ("sm_121", 128, 64, 33000, 4, 3, "shared memory"),
    ("sm_121", 32, 56, 1000, 1, 24, "blocks"),
)
"""Target, threads, registers of a thread, bytes of shared memory, barriers; then the blocks that
`cuda_occupancy.h` of CUDA 13.5 says (tests/lab/resources/occupancy.c), and what limits them."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[-1]}")
def test_as_the_header_of_the_runtime_has_it(row: tuple) -> None:
    target, threads, registers, shared, barriers, blocks, limit = row
    found = occupancy(target, threads, registers, shared, barriers)
    assert (found.blocks, found.limited_by) == (blocks, (limit,))
    assert found.warps == blocks * threads // 32
    assert 0 < found.fraction <= 1


def test_a_form_with_the_suffix_has_the_limits_of_its_gpu() -> None:
    """Of sm_107a, which is no target here, cubins of tileiras exist."""
    assert occupancy("sm_107a", 128, 64, 0) == occupancy("sm_107", 128, 64, 0)
    with pytest.raises(ValueError, match="sm_70"):
        occupancy("sm_70", 128, 64, 0)


def test_what_does_not_fit_at_all() -> None:
    found = occupancy("sm_90", 1024, 128, 0)
    assert (found.blocks, found.warps, found.limited_by) == (0, 0, ("registers",))
