"""What is a difference and what is none; of edits that are known, exactly they are found."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, PREVIEW, VALID, name_of
from tileir import Bytecode
from tileir.builder import Module
from tileir.diff import Difference, Row, compare
from tileir.formats.leaves import EnumValue
from tileir.ir import Op

SMALL = [path for path in VALID if path.stat().st_size < 4000]


def kinds(difference: Difference) -> Counter[str]:
    return Counter(row.kind for row in difference.rows)


def parsed(path: Path) -> Bytecode:
    return Bytecode.parse(path.read_bytes())


@pytest.mark.sampled(16)
@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_forms_of_a_module_are_equal(path: Path) -> None:
    """Its tables in another order, its text assembled, its form in the newest version."""
    module = parsed(path)
    assert not compare(module, module.build(compact=True))
    assert not compare(tileir.assemble(tileir.disassemble(module)), module)
    assert not compare(module, module.to_version("13.5"))


@pytest.mark.parametrize("path", PREVIEW, ids=name_of)
def test_preview_content(path: Path) -> None:
    module = parsed(path)
    assert not compare(module, path.read_bytes())
    rows = compare(module, Module().build()).rows
    declared = [row.before for row in rows if row.subject == "declaration"]
    assert declared == module.declarations


# Edits ------------------------------------------------------------------------------------------


def edited(seed: int) -> tuple[Bytecode, Bytecode, list[Op], random.Random]:
    """A fixture twice, the ops of the second, and what chooses among them."""
    choice = random.Random(seed)
    path = choice.choice(SMALL)
    after = parsed(path)
    ops = [op for function in after.functions for op in function.walk()]
    return parsed(path), after, ops, choice


def only(difference: Difference) -> Row:
    (row,) = difference.rows
    return row


def test_a_changed_attribute_is_all_that_is_found() -> None:
    found = 0
    for seed in range(30):
        before, after, ops, choice = edited(seed)
        places = [
            (op, slot)
            for op in ops
            for slot in op.spec.attributes
            if isinstance(slot.node, EnumValue) and len(slot.cases) > 1 and op.name != "cmpf"
        ]
        if not places:
            continue
        op, slot = choice.choice(places)
        was = op.attributes[slot.name]
        now = op.attributes[slot.name] = choice.choice([c for c in slot.cases if c != was])
        row = only(compare(before, after))
        assert (row.kind, row.after) == ("changed", op)
        (change,) = row.changes
        assert (change.what, change.name, change.before) == ("attribute", slot.name, was)
        assert change.after == now
        found += 1
    assert found > 10


def test_inserted_ops_are_all_that_is_found() -> None:
    for seed in range(20):
        before, after, ops, choice = edited(seed)
        plain = [op for op in ops if not op.spec.terminator]
        count = choice.randrange(1, 4)
        for op in choice.sample(plain, min(count, len(plain))):
            op.clone().insert_before(op)
        difference = compare(before, after)
        new = sum(len(list(row.after.walk())) for row in difference.rows if row.kind == "inserted")
        assert set(kinds(difference)) == {"inserted"}, seed
        assert len(difference.rows) <= new
        size = [
            sum(1 for function in m.functions for _ in function.walk()) for m in (before, after)
        ]
        assert kinds(difference)["inserted"] == size[1] - size[0] - implied(difference)
        assert kinds(compare(after, before)) == {"deleted": len(difference.rows)}


def implied(difference: Difference) -> int:
    """How many ends of new regions are not listed, as the text has none of them either."""
    regions = [b for row in difference.rows for r in row.after.regions for b in r.blocks]
    listed = {row.after for row in difference.rows}
    return sum(1 for block in regions if block.ops[-1] not in listed)


def test_users_of_a_deleted_op_change_in_one_operand() -> None:
    found = 0
    for seed in range(40):
        before, after, ops, choice = edited(seed)
        places = [
            (op, operand)
            for op in ops
            for operand in op.operand_list()
            if len(op.results) == 1 and operand.type == op.result.type and op.result.uses
            if op.name not in ("reduce", "scan", "for", "loop")
        ]
        if not places:
            continue
        op, operand = choice.choice(places)
        uses = Counter((use.op, use.slot) for use in op.result.uses)
        gone, positions = op.name, {user.position for user, _ in uses}
        op.replace_with(operand)
        difference = compare(before, after)
        assert kinds(difference) == {"deleted": 1, "changed": len({user for user, _ in uses})}
        for row in difference.rows:
            if row.kind == "deleted":
                assert row.before.name == gone
            else:
                assert row.after.position in positions
                assert {change.what for change in row.changes} == {"operand"}
        found += 1
    assert found > 10


def moved_op(ops: list[Op]) -> Iterator[Op]:
    """Ops without effects that can stand at the beginning of their blocks, and do not."""
    for op in ops:
        if op.spec.effects == "pure" and not op.operands and op.index > 1 and not op.regions:
            yield op


def test_an_op_that_moved_is_one_row() -> None:
    found = 0
    for seed in range(40):
        before, after, ops, choice = edited(seed)
        places = [*moved_op(ops)]
        if not places:
            continue
        op = choice.choice(places)
        op.move_before(op.parent.ops[0])
        difference = compare(before, after)
        assert kinds(difference) in ({"moved": 1}, {})  # past nothing but its like
        assert not compare(before, after, any_order=True)
        found += bool(difference)
    assert found > 10


HOISTED = """
cuda_tile.module @m {
  entry @f(%n: tile<i32>, %p: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %twice = addi %n, %n : tile<i32>
      %t = addi %s, %twice : tile<i32>
      continue %t : tile<i32>
    }
    %token = store_ptr_tko weak %p, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""
LINE = "      %twice = addi %n, %n : tile<i32>\n"


def test_an_op_that_left_a_loop_is_one_row() -> None:
    hoisted = HOISTED.replace(LINE, "").replace("    %sum", f"{LINE}    %sum")
    one, two = map(tileir.assemble, (HOISTED, hoisted))
    for pair in ((one, two), (two, one)):
        row = only(compare(*pair))
        assert (row.kind, row.after.name) == ("moved", "addi")
        assert compare(*pair, any_order=True), "it is in another block"


def test_an_op_that_is_wrapped_moves_with_what_is_in_it() -> None:
    module = tileir.assemble(HOISTED)
    wrapped = HOISTED.replace(
        "    %sum = for", "    %c = constant <i1: 1> : tile<i1>\n    %sum = for"
    )
    assert kinds(compare(module, tileir.assemble(wrapped))) == {"inserted": 1}


def test_a_value_that_a_loop_carries_more() -> None:
    more = (
        HOISTED.replace("%sum = for", "%more, %sum = for")
        .replace("(%s = %zero)", "(%q = %one, %s = %zero)")
        .replace("-> (tile<i32>)", "-> (tile<i32>, tile<i32>)")
        .replace("continue %t : tile<i32>", "continue %q, %t : tile<i32>, tile<i32>")
    )
    more = more.replace("%more, %sum = for", "%sum:2 = for").replace(" %sum :", " %sum#1 :")
    difference = compare(tileir.assemble(HOISTED), tileir.assemble(more))
    assert [row.after.name for row in difference.rows] == ["for", "continue"]
    changed = [(change.what, change.name) for change in difference.rows[1].changes]
    assert changed == [("operand", "operands[0]")]


# What does not count -----------------------------------------------------------------------------


def test_which_of_equal_ops_is_used_does_not_count() -> None:
    twin = "    %one = constant <i32: 1> : tile<i32>\n"
    text = HOISTED.replace(twin, twin + twin.replace("%one", "%eins"))
    other = text.replace("step %one", "step %eins")
    assert not compare(tileir.assemble(text), tileir.assemble(other))
    assert kinds(compare(tileir.assemble(HOISTED), tileir.assemble(other))) == {"inserted": 1}


def test_locations_count_where_that_is_asked() -> None:
    before, after = (parsed(FIXTURES / "13.5" / "vector_add.tileirbc") for _ in range(2))
    moved = next(iter(after.functions[0].walk()))
    moved.location = None
    assert not compare(before, after)
    row = only(compare(before, after, locations=True))
    assert (row.after, row.changes[0].what) == (moved, "location")
    assert not compare(before, parsed(FIXTURES / "13.5" / "vector_add.tileirbc"), locations=True)


def test_tables_count_where_that_is_asked() -> None:
    module = parsed(FIXTURES / "13.1" / "softmax.tileirbc")
    newer = module.to_version("13.5")
    assert not compare(module, newer)
    row = only(compare(module, newer, tables=True))
    assert row.subject == "file"
    assert ("version", "13.1", "13.5") in [(c.name, c.before, c.after) for c in row.changes]
    assert not compare(module, bytes(module.data), tables=True)


def test_functions_of_other_names_are_matched_by_what_is_in_them() -> None:
    before, after = (parsed(FIXTURES / "13.5" / "two_entries.tileirbc") for _ in range(2))
    first, second = after.functions
    first.name = "another"
    after.functions.reverse()
    difference = compare(before, after)
    assert [pair.name for pair in difference.functions] == [
        second.name,
        f"{before.functions[0].name} -> another",
    ]
    row = only(difference)
    assert [(change.name, change.after) for change in row.changes] == [("name", "another")]
    after.functions.remove(first)
    assert [row.kind for row in compare(before, after).rows] == ["deleted"]


def test_globals() -> None:
    def module(value: int, name: str = "table") -> Bytecode:
        made = Module()
        made.global_(name, [value], type="1xi32")
        return made.bytecode()

    assert not compare(module(1), module(1))
    (change,) = only(compare(module(1), module(2))).changes
    assert change.name == "value"
    assert kinds(compare(module(1), module(1, "other"))) == {"inserted": 1, "deleted": 1}


def test_globals_of_one_name_are_told_apart() -> None:
    """Such a file breaks a rule, and is not the one that has a global less."""
    made = Module()
    for name in ("table", "tablf"):
        made.global_(name, [1], type="1xi32")
    twice = Bytecode.parse(bytes(made.bytecode().data).replace(b"tablf", b"table"))
    once = Bytecode.parse(twice.data)
    once.globals.pop()
    assert kinds(compare(twice, once)) == {"deleted": 1}
    assert kinds(compare(once, twice)) == {"inserted": 1}


def test_many_equal_functions_of_other_names() -> None:
    """More than are compared with each other: each has one of its own."""
    before, after = (
        tileir.assemble("".join(f"entry @{name}{n}() {{}}\n" for n in range(70))) for name in "ab"
    )
    difference = compare(before, after)
    assert [pair.name for pair in difference.functions] == [f"a{n} -> b{n}" for n in range(70)]
    assert kinds(difference) == {"changed": 70}


# Sizes -------------------------------------------------------------------------------------------


def additions(count: int, chain: bool, left_out: int = -1) -> Bytecode:
    module = Module()
    kernel = module.function("k", ["i32", "i32"])
    first, second = kernel.parameters
    value = first
    for index in range(count):
        if index != left_out:
            made = kernel.addi(value if chain else first, second)
            value = made
    kernel.return_()
    return module.bytecode()


@pytest.mark.parametrize("chain", [False, True], ids=["alike", "chain"])
def test_one_of_many_equal_ops(chain: bool) -> None:
    difference = compare(additions(400, chain), additions(400, chain, left_out=200))
    assert kinds(difference) == {"deleted": 1}
