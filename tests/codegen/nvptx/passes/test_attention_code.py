"""Machine code of causal attention: what is under way during a softmax, and the loops' lengths.

Each warp has 16 of 64 query rows, and 128 keys an iteration. The first loop has no mask.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.lab import bench
from tileir import assemble
from tileir.codegen import compile

pytestmark = pytest.mark.oracle
KERNELS = Path(bench.__file__).parent / "gpu" / "kernels"
LONGEST = (590, 720)
"""Instructions of an iteration, without a mask and with one."""
POWERS = 66
"""Exponentials of a thread: of 64 elements of two rows, and what sums of two rows shrink by."""
_WAIT = "WARPGROUP.DEPBAR.LE gsb0, 0x{}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["fmha_causal_d128", "fmha_causal_d64", "fmha_gqa"])
def test_a_product_is_under_way_during_the_softmax(tool: Any, tmp_path: Path, name: str) -> None:
    source, binary = tmp_path / "k.ptx", tmp_path / "k.cubin"
    text = (KERNELS / f"{name}.mlir").read_text()
    source.write_text(compile(assemble(text), "sm_90", cache=False).ptx)
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", binary, source)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert not re.search(r"C75\d\d|[1-9]\d* bytes (stack|spill)", said), said
    loops = [loop for loop in _loops(_code(tool, binary, name)) if _has_products_of_two(loop)]
    assert len(loops) == len(LONGEST)
    for loop, longest in zip(loops, LONGEST, strict=True):
        assert len(loop) <= longest
        start, end = (_place(loop, _WAIT.format(number)) for number in (1, 0))
        assert sum("MUFU.EX2" in each for each in loop[start:end]) == POWERS
        assert not any("LDL" in each or "STL" in each for each in loop)


def _has_products_of_two(loop: list[str]) -> bool:
    return any(_WAIT.format(1) in each for each in loop)


def _place(loop: list[str], text: str) -> int:
    (found,) = (number for number, each in enumerate(loop) if text in each)
    return found


def _code(tool: Any, binary: Path, name: str) -> list[str]:
    """Return the instructions and labels of an entry."""
    text = tool("nvdisasm", "-c", binary).stdout.decode()
    parts = re.split(r"(?=^\s*\.section\s+\.text)", text, flags=re.M)
    (own,) = (part for part in parts if re.match(rf"\s*\.section\s+\.text\.{name},", part))
    lines = (
        re.search(r"^(\.L_x_\d+):|/\*[0-9a-f]{4,}\*/ +(\S.*;)", line) for line in own.splitlines()
    )
    return [found[1] or found[2] for found in lines if found]


def _loops(code: list[str]) -> list[list[str]]:
    """Return the instructions of the innermost loops with products, in order.

    Behind all of them are the ways back into them, of waits that go on waiting.
    """
    labels = {line: number for number, line in enumerate(code) if line.startswith(".L_x")}
    found = list[tuple[int, int]]()
    for number, line in enumerate(code):
        target = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        start = labels.get(target[1], number) if target else number
        seen = any(start <= last for _, last in found)
        if start < number and not seen and any("HGMMA" in each for each in code[start:number]):
            found.append((start, number))
    return [
        [line for line in code[start : end + 1] if not line.startswith(".L_x")]
        for start, end in found
    ]
