"""The tile-level SSA form: ops, the values that they define and use, and regions of ops.

`constants` has the numbers of tiles and `locations` where in source an op comes from; what types
an op's slots admit is in `slot_types`, and what makes a type legal in `type_rules`.
"""

from __future__ import annotations

from .op import Block, Body, Op, Region, Value

__all__ = ["Block", "Body", "Op", "Region", "Value"]
