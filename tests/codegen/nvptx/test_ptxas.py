"""NVIDIA's assembler accepts the PTX, for every GPU, without a warning or a spill."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tileir.gpus import TARGETS

from .compiled import ELEMENTWISE, compiled

pytestmark = pytest.mark.oracle
SOME = ("sm_75", "sm_80", "sm_90", "sm_120")
"""One GPU of each generation that has instructions of its own here."""


def assemble(tool, name: str, target: str, folder: Path, version: str = "13.4") -> tuple[str, Path]:
    """What ptxas says, and the machine code."""
    source, binary = folder / f"{name}.ptx", folder / f"{name}.cubin"
    source.write_text(compiled(name, target, version).ptx)
    done = tool(
        "ptxas", f"-arch={target}", "-v", "-warn-spills", "-warn-lmem-usage", "-o", binary, source
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    return said, binary


@pytest.mark.parametrize(
    ("name", "target"),
    [("vector_add", target) for target in TARGETS]
    + [(name, target) for name in ELEMENTWISE for target in SOME if name != "vector_add"],
)
def test_it_assembles_cleanly(tool, tmp_path: Path, name: str, target: str) -> None:
    said, _ = assemble(tool, name, target, tmp_path)
    assert not re.search(r"warning|error", said), said
    assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in said
    assert int(re.search(r"Used (\d+) registers", said)[1]) <= 64


@pytest.mark.parametrize(
    ("name", "loads", "stores"),
    [("vector_add", 4, 2), ("vector_add_aligned", 4, 2), ("vector_add_f64", 8, 4)],
)
def test_the_machine_code_moves_128_bits_at_once(
    tool, tmp_path: Path, name: str, loads: int, stores: int
) -> None:
    _, binary = assemble(tool, name, "sm_90", tmp_path)
    code = tool("nvdisasm", "-c", binary).stdout.decode()
    assert code.count("LDG.E.128 ") == loads
    assert code.count("STG.E.128 ") == stores
    assert "LDL" not in code


# Not print and assert: what vprintf prints lies in local memory.
OTHERS = (
    "softmax", "layer_norm", "transpose", "row_argmax", "running_sum", "scan_affine", "histogram",
    "scratch_memory", "gather_rows", "nested_loops", "insert_corner", "atomic_modes",
    "ordered_flags", "module_globals", "dependent_launch", "mma_f16", "mma_bf16", "mma_tf32",
    "mma_f64", "mma_e4m3", "mma_u8_i8", "mma_scaled",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", SOME)
def test_ops_of_all_kinds_assemble_cleanly(tool, tmp_path: Path, target: str) -> None:
    for name in OTHERS:
        version = "13.5" if name in ("scratch_memory", "module_globals") else "13.4"
        said, _ = assemble(tool, name, target, tmp_path, version)
        assert not re.search(r"warning|error", said), said
        assert "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" in said
