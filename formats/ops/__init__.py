"""The table of ops: one row each, in the ten chapters of the specification
and one of what is in public preview.

`OPS` is in opcode order. A new op is one row here, one in `codegen/ops/`, and a lowering for each
target; its wire layout, its checks, its text and its builder follow from the row here.
"""

from __future__ import annotations

from . import (
    atomics,
    bitwise,
    control_flow,
    conversions,
    core,
    floating_point,
    integer,
    memory,
    miscellaneous,
    preview,
    views,
)
from .spec import Op

CHAPTERS = (
    core,
    conversions,
    control_flow,
    memory,
    views,
    atomics,
    integer,
    floating_point,
    bitwise,
    miscellaneous,
    preview,
)

OPS: tuple[Op, ...] = tuple(
    sorted((op for chapter in CHAPTERS for op in chapter.OPS), key=lambda op: op.opcode)
)
BY_OPCODE = {op.opcode: op for op in OPS}
BY_NAME = {op.mnemonic: op for op in OPS}

if not len(OPS) == len(BY_OPCODE) == len(BY_NAME):
    raise ValueError("two rows of the op table share an opcode or a mnemonic")
