"""Launch plans that are read from somewhere: those we write, and nothing that is none."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

import tileir
from tests.codegen.nvptx import test_twins as twins
from tests.codegen.nvptx.compiled import compiled
from tileir.codegen.nvptx.stored import StoredPlans
from tileir.launch.plan_form import check_plan


@cache
def plans() -> list[tuple[str, dict[str, Any]]]:
    """Plans of every kind: with tensor maps, twins, roles, clusters, a heap, no parameters."""
    batched = twins.batched()
    made = [("with twins", batched.plan["gemm_batched"])]
    for name, target in (("vector_add", "sm_80"), ("mma_f16", "sm_90"), ("scatter_rows", "sm_120")):
        made += [(name, plan) for plan in compiled(name, target).plan.values()]
    empty = tileir.compile(tileir.assemble("entry @k() { return }"), "sm_90", num_ctas=2)
    return [*made, ("empty", empty.plan["k"])]


def test_plans_are_read_as_they_were_written() -> None:
    for _, plan in plans():
        stored = StoredPlans({"k": plan, "ä \udc80": plan}, frozenset({"k"}), True)
        assert StoredPlans.from_bytes(stored.to_bytes()) == stored
        check_plan({**plan, "of a later release": [None]})


ODD: tuple[Any, ...] = (None, True, -1, 1 << 64, 1.5, "x y", [], [[]], {}, {"a": 1}, [1, 2])


def test_a_plan_with_any_entry_wrong_is_none() -> None:
    """Only what is a right value of its entry is taken; a launcher computes addresses from it."""
    refused: Counter[str] = Counter()
    for _, plan in plans():
        for name in plan.keys() - {"contract"}:
            for odd in ODD:
                if type(odd) is type(plan[name]) is bool or (odd in (None, []) and name in NOTHING):
                    continue
                with pytest.raises(ValueError, match=r"no valid|no launch plan|parameter|large"):
                    check_plan({**plan, name: odd})
                refused[name] += 1
            if name not in FOR_PEOPLE:
                with pytest.raises(ValueError, match=f"no valid '{name}'"):
                    check_plan({other: plan[other] for other in plan if other != name})
    assert len(refused) > 20


NOTHING = {
    "parameters", "tensor_maps", "guard", "twin", "roles", "one_role", "serial_products", "copies",
    "stores", "arrays", "assumed",
}  # fmt: skip
"""Entries that may be empty or null, as far as this one alone can say."""
FOR_PEOPLE = {
    "ptx_version", "runs_on", "overlaps_grids", "roles", "one_role", "serial_products", "copies",
    "stores", "arrays", "assumed",
}  # fmt: skip
"""Entries that other releases need not have."""


def test_a_plan_that_contradicts_itself_is_none() -> None:
    plan = dict(plans())["with twins"]
    check_plan(plan)
    for path, value in [
        (("parameters", 1, "offset"), 4), (("parameters", 0, "size"), 4),
        (("parameters", 0, "index"), 1), (("parameters", 0, "type"), "i8"),
        (("parameters", 3, "offset"), 1 << 40), (("parameters", 0, "divisible_by"), 0),
        (("tensor_maps", 0, "offset"), 0), (("tensor_maps", 1, "offset"), 1 << 20),
        (("tensor_maps", 0, "size"), 64), (("tensor_maps", 0, "strides"), []),
        (("tensor_maps", 0, "box"), [1] * 6), (("tensor_maps", 0, "swizzle"), 48),
        (("tensor_maps", 0, "swizzle"), False), (("tensor_maps", 0, "swizzle"), 32.0),
        (("tensor_maps", 0, "element"), "f17"), (("tensor_maps", 0, "base", "parameter"), 99),
        (("guard", 0, "parameter"), 99), (("guard", 0, "divisible_by"), 0),
        (("arrays",), []), (("arrays", 0, "parameter"), 1), (("arrays", 0, "shape"), None),
        (("arrays", 0, "strides", 0, "parameter"), 0), (("assumed",), []),
        (("assumed", 0, "divisible_by"), 0), (("assumed", 0, "at_least"), 1 << 64),
        (("block", 0), 4096), (("twin", "block"), [1, 1]), (("twin", "entry"), "no name"),
        (("grid",), ["x", "y"]), (("target",), "sm_1"), (("ptx_target",), "sm_90a\n"),
    ]:  # fmt: skip
        changed = json.loads(json.dumps(plan))
        place = changed
        for key in path[:-1]:
            place = place[key]
        assert place[path[-1]] != value
        place[path[-1]] = value
        with pytest.raises(ValueError, match=r"no valid|parameter|tensor map|large"):
            check_plan(changed)
