"""Classes of instructions, by what they keep busy: the first pattern that an opcode begins with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

CLASSES = (
    ("tensor-core products", r"mma\.|wgmma\.mma_async\."),
    ("asynchronous copies", r"cp\.(reduce\.)?async\.(bulk\.(tensor|shared|global)|c[ag])"),
    ("barriers", r"bar\.|barrier\.|mbarrier\.(arrive|try_wait|test_wait)|cp\.async\.mbarrier"),
    ("waits and fences", r"cp\.async|wgmma\.|fence|membar|mbarrier\.|griddepcontrol|setmaxnreg"),
    ("atomics", r"atom|red\.|multimem"),
    ("matrices of shared memory", r"ldmatrix|stmatrix"),
    ("parameters", r"(ld|st)\.param"),
    ("shared memory", r"(ld|st)\.([\w:]+\.)*?shared"),
    ("local memory", r"(ld|st)\.([\w:]+\.)*?local"),
    ("global memory", r"ldu?\.|st\."),
    ("exchange in a warp", r"shfl|vote|redux|match|activemask|movmatrix|elect"),
    ("control", r"bra|brx|ret|exit|call|trap|prefetch|discard|applypriority|nanosleep"),
    ("conversions", r"cvt"),
    ("comparisons and selections", r"setp|set\.|selp|slct|testp"),
    ("moves", r"mov|prmt|cvta|mapa|isspacep|getctarank|createpolicy|tensormap"),
    ("special functions", r"(sin|cos|ex2|lg2|tanh|rcp|rsqrt|sqrt|div)\.[\w.]*?(f16|bf16|f32|f64)"),
    ("floating-point arithmetic", r"[a-z]+\.[\w.]*?(f16|bf16|f32|f64)"),
    ("integer arithmetic", r""),
)
"""Name of a class -> pattern of the beginning of its opcodes."""

_PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in CLASSES)
_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\b")
WARPS_OF_GROUP = 4


def class_of(opcode: str) -> str:
    """Return the name of an opcode's class."""
    return next(name for name, pattern in _PATTERNS if pattern.match(opcode))


def by_class(opcodes: Mapping[str, int]) -> Counter[str]:
    """Add up numbers of opcodes by their classes."""
    found: Counter[str] = Counter()
    for opcode, number in opcodes.items():
        found[class_of(opcode)] += number
    return found


def product_operations(opcodes: Mapping[str, int]) -> int:
    """Return the multiplications and additions of tensor-core products, by executions of warps.

    Four warps execute one product of a warpgroup together. Sparse ones count what they skip, too.
    """
    total = 0
    for opcode, number in opcodes.items():
        shape = _SHAPE.search(opcode)
        if shape and class_of(opcode) == CLASSES[0][0]:
            m, n, k = (int(extent) for extent in shape.groups())
            total += 2 * m * n * k * number // (WARPS_OF_GROUP if opcode.startswith("wgmma") else 1)
    return total
