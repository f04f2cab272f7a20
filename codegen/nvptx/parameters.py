"""The parameters of a kernel in its launch plan: where they lie, and what they have to be."""

from __future__ import annotations

from typing import Any

from tileir.attributes import DivBy
from tileir.ir import Value

from ..kernel import Kernel
from ..scalar.types import memory_bytes
from ..written import written_parameters


def parameter_rows(kernel: Kernel) -> list[dict[str, Any]]:
    """One row a parameter, in order; `plan` says what is in it."""
    rows: list[dict[str, Any]] = []
    end = 0
    divisors, written = _divisors(kernel), written_parameters(kernel)
    for index, value in enumerate(kernel.parameters):
        element = value.type.element
        size = memory_bytes(element)
        offset = -(-end // size) * size
        rows.append(
            {
                "index": index, "type": str(element), "size": size, "offset": offset,
                "divisible_by": divisors[value], "written": index in written,
            }
        )  # fmt: skip
        end = offset + size
    return rows


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
