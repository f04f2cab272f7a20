"""The parameters of a kernel in its launch plan: where they lie, and what they have to be.

How many bytes of them a kernel may have depends on the PTX ISA version.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tileir.attributes import DivBy
from tileir.codegen.analysis.written_parameters import written_parameters
from tileir.codegen.kernel import Kernel
from tileir.codegen.scalar.types import memory_bytes
from tileir.errors import Diagnostic, UnsupportedError
from tileir.ir import Value

_MOST_BYTES = {(1, 0): 4352, (8, 1): 32764}
"""PTX ISA version -> bytes of parameters that a kernel may have from there on."""


def ptx_version(kernels: Iterable[Kernel]) -> tuple[int, int]:
    """The lowest PTX ISA version whose kernels may have as many bytes of parameters."""
    return max(map(_version, kernels), default=min(_MOST_BYTES))


def _version(kernel: Kernel) -> tuple[int, int]:
    size = sum(_places(kernel)[-1]) if kernel.parameters else 0
    for version, most in _MOST_BYTES.items():
        if size <= most:
            return version
    why = f"{size} bytes of parameters; a kernel can have {most}"
    found = [Diagnostic("error", "unsupported", why, function=kernel.symbol)]
    raise UnsupportedError("an entry has too many parameters for a GPU:", found)


def parameter_rows(kernel: Kernel) -> list[dict[str, Any]]:
    """One row a parameter, in order; `plan` says what is in it."""
    divisors, written = _divisors(kernel), written_parameters(kernel)
    places = zip(kernel.parameters, _places(kernel), strict=True)
    return [
        {
            "index": index, "type": str(value.type.element), "size": size, "offset": offset,
            "divisible_by": divisors[value], "written": index in written,
        }
        for index, (value, (offset, size)) in enumerate(places)
    ]  # fmt: skip


def _places(kernel: Kernel) -> list[tuple[int, int]]:
    """Offset and size of each parameter in bytes, naturally aligned."""
    places, end = [], 0
    for value in kernel.parameters:
        size = memory_bytes(value.type.element)
        offset = -(-end // size) * size
        places.append((offset, size))
        end = offset + size
    return places


def _divisors(kernel: Kernel) -> dict[Value, int]:
    """What each parameter is a multiple of, by what is assumed of it wherever the kernel goes.

    An op counts up to where a kernel may first return. Divisors are powers of two.
    """
    parameters = {value: value for value in kernel.parameters}
    divisors = dict.fromkeys(parameters, 1)
    for op in kernel.body.block.ops:
        if op.regions and any(inner.name == "return" for inner in op.walk()):
            break
        if op.name != "assume" or op.operands["value"] not in parameters:
            continue
        parameter = parameters[op.result] = parameters[op.operands["value"]]
        claim = op.attributes["predicate"]
        if isinstance(claim, DivBy) and claim.every is None and claim.along is None:
            divisors[parameter] = max(divisors[parameter], claim.divisor)
    return divisors
