"""The tile-level SSA form: ops, the values that they define and use, and regions of ops.

`constants` has the numbers of tiles, `locations` the source locations of ops, `slot_types` the
types that the slots of an op admit, and `type_rules` the rules that make a type legal.
"""

from __future__ import annotations

from .body import Body
from .op import Block, Op, Region, Use, Value

__all__ = ["Block", "Body", "Op", "Region", "Use", "Value"]
