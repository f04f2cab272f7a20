"""The editor: ops made by the builder's methods in functions that were read, set and renamed."""

from __future__ import annotations

import pytest

import tileir
from tests.corpus import NEWEST
from tests.lab.edits.truth import untruths
from tileir import BuildError, Bytecode
from tileir.builder import Editor, Module, splat
from tileir.ir import Op


@pytest.fixture
def bytecode() -> Bytecode:
    """A kernel with a loop, and with locations."""
    return Bytecode.parse(NEWEST["loop_sum"].read_bytes())


def find(bytecode: Bytecode, name: str) -> Op:
    """The first op of that name."""
    return next(op for op in bytecode.functions[0].walk() if op.name == name)


def test_insertion_points(bytecode: Bytecode) -> None:
    function = bytecode.functions[0]
    editor, add = Editor(function), find(bytecode, "addf")
    first = editor.before(add).mulf(*add.operand_list())
    second = editor.subf(first, first)
    third = editor.after(add).addf(add.result, second)
    last = editor.at_end(add.parent).negf(third)
    assert [op.name for op in add.parent.ops] == (
        ["load_view_tko", "mulf", "subf", "addf", "addf", "negf", "continue"]
    )
    editor.at_start(function.body.block).constant(splat(7, "i32"))
    assert function.ops[0].name == "constant"
    assert first.owner.location == add.location
    assert last.owner.location == add.parent.ops[-1].location
    assert repr(last) == f"%?: {last.type}"
    assert not untruths(bytecode)
    assert not [d for d in tileir.verify(bytecode) if d.severity == "error"]
    assert "negf" in tileir.disassemble(Bytecode.parse(bytecode.build()))


def test_ops_with_regions(bytecode: Bytecode) -> None:
    editor, loop = Editor(bytecode.functions[0]), find(bytecode, "for")
    editor.before(loop)
    condition = editor.constant(splat(1, "i1"))
    branch = editor.if_(condition, results=["i32"])
    with branch.thenRegion:
        editor.yield_([editor.constant(splat(1, "i32"))])
    with branch.elseRegion:
        editor.yield_([editor.constant(splat(2, "i32"))])
    doubled = editor.addi(branch.result, branch.result)
    assert [op.name for op in loop.parent.ops[loop.index - 3 : loop.index]] == (
        ["constant", "if", "addi"]
    )
    loop.operands["lowerBound"] = doubled
    assert not untruths(bytecode)
    assert not [d for d in tileir.verify(Bytecode.parse(bytecode.build())) if d.severity == "error"]


def test_mistakes_at_the_call(bytecode: Bytecode) -> None:
    function = bytecode.functions[0]
    editor, add = Editor(function), find(bytecode, "addf")
    other = find(Bytecode.parse(NEWEST["loop_sum"].read_bytes()), "addf")
    loop = find(bytecode, "for")
    for mistake, said in (
        (lambda: Editor(3), "expected a function"),
        (lambda: editor.before(3), "expected an op"),
        (lambda: editor.before(other), "addf is not part of loop_sum"),
        (lambda: editor.at_end(other.parent), "the block is not part of loop_sum"),
        (lambda: editor.after(function.ops[-1]), "nothing comes after return"),
        (lambda: editor.before(add).addf(add.result, add.result), "is not visible here"),
        (lambda: editor.before(add).addf(other.result, other.result), "of another function"),
        (lambda: editor.before(loop).addf(add.result, add.result), "is not visible here"),
        (lambda: editor.before(add).return_(), "return cannot come beside addf"),
        (lambda: editor.before(add).addf(loop.operands["lowerBound"], add.result), "addf: "),
        (lambda: editor.rename(add, "addi"), "addi has no slot|addi: "),
        (lambda: editor.rename(add, "adf"), "there is no op 'adf', did you mean"),
        (lambda: editor.rename(add, 3), "there is no op 3"),
        (lambda: editor.rename(add, "negf"), "negf has no slot lhs, which addf uses"),
        (lambda: editor.rename(add, "return"), "return"),
        (lambda: editor.set(add, rounding_mode="up"), "rounding_mode: expected 'nearest_even'"),
        (lambda: editor.set(add, lhs=None), "lhs"),
        (lambda: editor.set(add, lhs=loop.operands["lowerBound"]), "addf: "),
        (lambda: editor.set(add, nope=1), "addf has no slot nope"),
        (lambda: editor.set(3, lhs=1), "expected an op"),
    ):
        with pytest.raises(BuildError, match=said):
            mistake()
        assert bytecode.build() == bytecode.data
        assert not untruths(bytecode)
    with pytest.raises(AttributeError, match="an editor has no op 'adf', did you mean addf"):
        editor.adf  # noqa: B018


def test_rename_and_set(bytecode: Bytecode) -> None:
    editor, add = Editor(bytecode.functions[0]), find(bytecode, "addf")
    result, location = add.result, add.location
    editor.set(add, rounding_mode="zero")
    editor.rename(add, "subf")
    assert (add.name, add.attributes["rounding_mode"]) == ("subf", "zero")
    assert (add.result, add.location) == (result, location)
    editor.rename(add, "fma", acc=add.operands["rhs"])
    constant = find(bytecode, "constant")
    editor.set(constant, value=splat(9, constant.result.type))
    assert constant.attributes["value"].value() == 9
    editor.set(constant, value=8)
    assert constant.attributes["value"].value() == 8
    text = tileir.disassemble(Bytecode.parse(bytecode.build()))
    assert "fma %" in text
    assert "rounding<zero>" in text
    assert "<i32: 8>" in text


def test_a_kernel_under_construction_can_be_edited() -> None:
    module = Module()
    kernel = module.function("k", ["ptr<f32>"])
    (pointer,) = kernel.parameters
    value, _ = kernel.load_ptr_tko(pointer, memory_ordering_semantics="weak")
    kernel.store_ptr_tko(pointer, value, memory_ordering_semantics="weak")
    kernel.return_()
    store = value.uses[0].op
    editor = Editor(kernel)
    editor.set(store, value=editor.before(store).addf(value, value))
    assert "addf" in tileir.disassemble(module.bytecode())


def test_an_insertion_point_that_moved_away(bytecode: Bytecode) -> None:
    editor, add = Editor(bytecode.functions[0]), find(bytecode, "addf")
    neighbour = editor.before(add).negf(add.operands["rhs"]).owner
    editor.before(neighbour)
    neighbour.erase()
    with pytest.raises(BuildError, match="negf, the insertion point, is no longer where it was"):
        editor.absf(add.operands["rhs"])
    editor.after(add)
    behind = add.parent.ops[add.index + 1]
    made = editor.negf(add.result)
    assert made.owner.index + 1 == behind.index


def test_an_error_inside_a_region_leaves_nothing(bytecode: Bytecode) -> None:
    editor, add = Editor(bytecode.functions[0]), find(bytecode, "addf")
    condition = editor.before(add).constant(splat(1, "i1"))
    before = len(add.parent.ops)
    with pytest.raises(ZeroDivisionError), editor.if_(condition).thenRegion:
        1 / 0  # noqa: B018
    assert len(add.parent.ops) == before
    editor.negf(add.operands["rhs"])
    assert not untruths(bytecode)
    bytecode.build()


def test_what_a_combining_body_cannot_have() -> None:
    bytecode = Bytecode.parse(NEWEST["row_sum"].read_bytes())
    fold = find(bytecode, "reduce")
    load = find(bytecode, "load_view_tko")
    editor = Editor(bytecode.functions[0]).before(fold.regions[0].block.ops[0])
    with pytest.raises(BuildError, match="load_view_tko"):
        editor.load_view_tko(
            load.operands["view"], load.operands["index"], memory_ordering_semantics="weak"
        )
