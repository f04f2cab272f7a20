"""The parameters of a kernel in its launch plan: their layout, and what is assumed of them.

The PTX ISA version limits the bytes of parameters that a kernel may have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from tileir.attributes import DivBy
from tileir.codegen.kernel import KernelIR
from tileir.codegen.scalar.types import memory_bytes
from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Block, Value

from .tensor_maps import BYTES, map_offsets

_MOST_BYTES = {(1, 0): 4352, (8, 1): 32764}
"""PTX ISA version -> the most bytes of parameters of a kernel, from that version on."""


def ptx_version(kernels: Iterable[KernelIR]) -> tuple[int, int]:
    """Return the lowest PTX ISA version that allows the kernels' parameters."""
    return max((version_with(kernel, 0) for kernel in kernels), default=min(_MOST_BYTES))


def fits(kernel: KernelIR, maps: int) -> bool:
    """Whether a kernel can have so many tensor maps behind its parameters."""
    return _bytes(kernel, maps) <= max(_MOST_BYTES.values())


def version_with(kernel: KernelIR, maps: int) -> tuple[int, int]:
    """Return the lowest PTX ISA version that allows a kernel's parameters and tensor maps."""
    size = _bytes(kernel, maps)
    for version, most in _MOST_BYTES.items():
        if size <= most:
            return version
    why = f"{size} bytes of parameters; a kernel can have {most}"
    problem = Diagnostic("error", "unsupported", why, function=kernel.symbol)
    raise UnsupportedError("an entry has too many parameters for a GPU:", [problem])


def _bytes(kernel: KernelIR, maps: int) -> int:
    """Return the bytes of a kernel's parameters, so many tensor maps behind them included."""
    end = sum(_offsets_and_sizes(kernel)[-1]) if kernel.parameters else 0
    return map_offsets(end, maps)[-1] + BYTES if maps else end


def parameter_rows(kernel: KernelIR, written: Collection[int]) -> list[dict[str, Any]]:
    """Return one row a parameter, in order; `plan` explains its entries.

    `written` has the numbers of those that the kernel may write through.
    """
    divisors = _divisors(kernel)
    rows = zip(kernel.parameters, _offsets_and_sizes(kernel), strict=True)
    return [
        {
            "index": index,
            "type": str(value.type.element),
            "size": size,
            "offset": offset,
            "divisible_by": divisors[value],
            "written": index in written,
        }
        for index, (value, (offset, size)) in enumerate(rows)
    ]


def _offsets_and_sizes(kernel: KernelIR) -> list[tuple[int, int]]:
    """Return offset and size of each parameter in bytes, naturally aligned."""
    pairs, end = [], 0
    for value in kernel.parameters:
        size = memory_bytes(value.type.element)
        offset = -(-end // size) * size
        pairs.append((offset, size))
        end = offset + size
    return pairs


def _divisors(kernel: KernelIR) -> dict[Value, int]:
    """Return a divisor of each parameter, a power of two, from assumptions that always hold.

    Those are the ones before the first op that may return, also those that one role alone needs.
    """
    parameters = {value: value for value in kernel.parameters}
    divisors = dict.fromkeys(parameters, 1)
    roles = [op.regions[0].block for op in kernel.body.block.ops if op.name == "role"]
    for block in (kernel.body.block, *roles):
        _add_divisors(block, parameters, divisors)
    return divisors


def _add_divisors(block: Block, parameters: dict[Value, Value], divisors: dict[Value, int]) -> None:
    """Add what assumptions of a block say of parameters, before the first op that may return."""
    for op in block.ops:
        if op.regions and any(inner.name == "return" for inner in op.walk()):
            break
        if op.name != "assume" or op.operands["value"] not in parameters:
            continue
        parameter = parameters[op.result] = parameters[op.operands["value"]]
        claim = op.attributes["predicate"]
        if isinstance(claim, DivBy) and claim.every is None and claim.along is None:
            divisors[parameter] = max(divisors[parameter], claim.divisor)
