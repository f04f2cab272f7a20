"""The files whose pages are looked at and measured: small ones, large ones, and a broken one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

from tests.corpus import NEWEST
from tests.lab.bench.modules import large_module
from tileir import Bytecode

LARGE = 20_000
"""Ops of the large module."""


@cache
def large() -> bytes:
    """A module of some more than `LARGE` ops, as real ones mix them, with debug records."""
    return large_module(LARGE)


@cache
def attention() -> bytes:
    """Causal attention in f16 as cuTile writes it."""
    from tests.lab.bench.workloads.source import KERNELS, bytecode_of

    kernel, parameters, *constants = KERNELS["fmha_causal"]
    return bytecode_of(kernel, {"fmha_causal": (parameters, tuple(constants))})


@cache
def library() -> bytes:
    """Attention's gradient as cuTile writes it: 16 entries, as a library has it, some 50 KB."""
    from tests.lab.bench.workloads.source import KERNELS, bytecode_of

    kernel, parameters, *_ = KERNELS["fmha_backward"]
    versions = {
        f"fmha_backward_{kind}_{rows}x{columns}x{width}": (
            parameters.replace("f16", kind),
            (rows, columns, width),
        )
        for kind, rows, columns, width in product(("f16", "bf16"), *[(64, 128)] * 3)
    }
    return bytecode_of(kernel, versions)


def broken() -> bytes:
    """A matrix product, one op of which has an opcode that there is not."""
    data = bytearray(NEWEST["matmul"].read_bytes())
    (product,) = [op for op in Bytecode.parse(data).functions[0].walk() if op.name == "mmaf"]
    data[product.offset] = 0x7F
    return bytes(data)


SUBJECTS: dict[str, Callable[[], bytes]] = {
    "vector_add": NEWEST["vector_add"].read_bytes,
    "matmul": NEWEST["matmul"].read_bytes,
    "attention": attention,
    "library": library,
    "broken": broken,
    "large": large,
}
"""Name -> what makes its bytes."""
