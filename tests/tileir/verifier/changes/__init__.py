"""The ways to make a module wrong, one change each, by name.

A change gets a `Site` and returns what it did in words, or None where there is nothing for it to do
(then it has changed nothing).
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.tileir.verifier.sites import Site
from tileir.formats.ops.spec import Op

from . import attributes, modules, ops, regions, together, types, values

Change = Callable[[Site], str | None]


def _all(*parts) -> dict[str, Change]:
    found = {}
    for part in parts:
        for change in part.CHANGES:
            found[change.__name__] = change
    return found


IN_BODIES = _all(values, types, attributes, together, ops, regions)
"""What happens to an op."""

TO_MODULES = _all(modules)
"""What happens to entries, globals, symbols and source locations."""

WEIGHTS = {
    "argument_number": 4,
    "argument_type": 6,
    "attribute_pair": 3,
    "attribute_value": 8,
    "carried_more": 6,
    "element_and_attribute": 3,
    "element_everywhere": 2,
    "element_here": 3,
    "op_into_body": 3,
    "operand_added": 2,
    "operand_dropped": 4,
    "operand_for_mask": 6,
    "operand_type": 3,
    "operand_types_together": 2,
    "pointer_here": 3,
    "result_type": 2,
    "size_here": 3,
    "terminator_replaced": 2,
    "terminator_values": 4,
    "view_everywhere": 4,
    "view_refitted": 12,
    "block_truncated": 0.5,
    "op_duplicated": 0.3,
    "op_removed": 0.3,
    "operand_invisible": 0.3,
    "terminator_early": 0.4,
    "entry_name": 0.3,
    "entry_flags": 0.2,
    "location": 4,
    "argument_attributes": 2,
    "global_changed": 2,
    "global_use": 2,
    "signature_parameter": 2,
}
"""How often a kind of change is tried, where that is not 1: many apply to few ops only."""


FOR_ATTRIBUTES = ("attribute_value", "attribute_pair", "element_and_attribute")
"""Kinds that are tried three times as often on ops that have attributes."""


def kind_for(choice: random.Random, changes: dict[str, Change], op: Op | None = None) -> str:
    """A kind out of those, by weight."""
    weights = {name: WEIGHTS.get(name, 1) for name in changes}
    if op is not None and op.attributes:
        weights |= {name: 3 * weights[name] for name in FOR_ATTRIBUTES}
    return choice.choices(list(weights), list(weights.values()))[0]
