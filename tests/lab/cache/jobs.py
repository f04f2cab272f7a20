"""What is compiled: small kernels with many options, so that there are many entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import tileir
from tests.corpus import FIXTURES

NAMES = (
    "vector_add", "scaled_copy", "fma_scalar", "comparisons", "loop_sum", "branches", "softmax",
    "row_sum", "integer_bits", "shapes", "half_floats", "matmul",
)  # fmt: skip
TARGETS = ("sm_75", "sm_80", "sm_90")
WARPS = (None, 1, 2, 4, 8)


class Job(NamedTuple):
    """One compilation; the target may be the CPU, which has no warps."""

    name: str
    target: str
    warps: int | None

    def digest(self, cache: bool) -> str:
        """Compile, and return a hash of everything that comes out of it."""
        data = (FIXTURES / "13.4" / f"{self.name}.tileirbc").read_bytes()
        options: dict[str, Any] = {} if self.target == "host" else {"num_warps": self.warps}
        made: Any = tileir.compile(data, self.target, cache=cache, **options)
        if self.target == "host":
            return hashlib.sha256(made.to_bytes()).hexdigest()
        parts = (made.ptx, made.llvm_ir, json.dumps(made.plan))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def jobs() -> Iterator[Job]:
    """All of them, in an order in which the first few have every target."""
    for warps in WARPS:
        for name in NAMES:
            yield from (Job(name, target, warps) for target in TARGETS)
            if warps is None:
                yield Job(name, "host", None)
