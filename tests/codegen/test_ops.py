"""The rows that code generation adds to the formats' table of ops."""

from __future__ import annotations

import re

from tileir.codegen import ops
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.ops.spec import DIVISION, FUNCTION, SIMPLE, Family
from tileir.codegen.scalar.elementwise import ELEMENTWISE
from tileir.formats import ops as formats
from tileir.formats.ops.spec import (
    NO_MEMORY_EFFECT,
    PURE,
    READS,
    READS_WRITES,
    TERMINATES,
    UNDECLARED,
    WRITES,
)
from tileir.sampler import sample


def of(*families: Family) -> set[str]:
    return {row.name for row in ops.ROWS if row.family in families}


def test_every_op_has_one_row_in_the_chapter_of_the_formats() -> None:
    for own, theirs in zip(ops.CHAPTERS, formats.CHAPTERS, strict=True):
        names = [op.mnemonic for op in theirs.OPS if op.in_body]
        assert [row.name for row in own.ROWS] == sorted(names), own.__name__


def test_ops_of_the_family_are_computed_element_by_element() -> None:
    assert of(Family.ELEMENT_WISE) == ELEMENTWISE.keys()


def test_only_element_wise_ops_commute() -> None:
    assert all(row.family is Family.ELEMENT_WISE for row in ops.ROWS if row.commutes)


def test_element_wise_ops_cost_something() -> None:
    costs = {row.name: row.cost for row in ops.ROWS if row.family is Family.ELEMENT_WISE}
    assert {*costs.values()} == {SIMPLE, DIVISION, FUNCTION}
    assert SIMPLE < DIVISION < FUNCTION


def test_families_agree_with_effects_and_slots() -> None:
    """What the formats say of an op, its family does not contradict."""
    specs = [op for op in formats.OPS if op.in_body]
    loads = of(Family.POINTER_LOAD, Family.VIEW_LOAD, Family.MULTIMEM_LOAD)
    stores = of(Family.POINTER_STORE, Family.VIEW_STORE, Family.MULTIMEM_STORE)
    atomics = of(Family.ATOMIC, Family.VIEW_ATOMIC)
    assert loads == {op.mnemonic for op in specs if op.effects == READS}
    assert stores | atomics == {op.mnemonic for op in specs if op.effects in (WRITES, READS_WRITES)}
    assert of(Family.TERMINATOR) == {op.mnemonic for op in specs if op.effects == TERMINATES}
    regions = of(Family.BRANCH, Family.FOLD, Family.LOOP)
    assert regions == {op.mnemonic for op in specs if op.regions}
    views = {op.mnemonic for op in specs if any(slot.name == "index" for slot in op.operands)}
    through_views = of(Family.VIEW_LOAD, Family.VIEW_STORE, Family.VIEW_ATOMIC)
    assert views == through_views | of(Family.MULTIMEM_LOAD, Family.MULTIMEM_STORE)


def test_ops_that_may_be_undefined_have_a_rule_that_tells_when() -> None:
    """What the formats say in words, or by effects, the row says by its rule."""
    harmless = (PURE, NO_MEMORY_EFFECT, UNDECLARED)
    specs = [op for op in formats.OPS if op.in_body and op.effects in harmless]
    docs = {
        op.mnemonic: " ".join([op.doc, *(slot.doc for slot in (*op.attributes, *op.operands))])
        for op in specs
    }
    words = re.compile("undefined behaviour|promise", re.IGNORECASE)
    undefined = {name for name, doc in docs.items() if words.search(doc)}
    undeclared = {op.mnemonic for op in specs if op.effects != PURE}
    assert {row.name for row in ops.ROWS if row.total} == undefined | undeclared


def test_a_rule_of_totality_is_for_the_slots_of_its_op(whole: bool) -> None:
    """Each rule answers for ops of its rows as the sampler draws them, until all were asked."""
    asked: set[str] = set()
    rows = {row.name for row in ops.ROWS if row.total}
    for seed in range(40):
        if asked == rows and not whole:
            break
        for op in (
            each for function in sample(seed, ops=100).functions for each in function.walk()
        ):
            rule = ops.traits_of(op).total
            if rule is not None:
                assert rule(op, Divisibility()) in (True, False)
                asked.add(op.name)
    assert asked == rows
