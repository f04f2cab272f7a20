"""Edits of a body: parents and uses stay true, and what cannot be right is refused at the call."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import tileir
from tests.corpus import NEWEST
from tests.lab.edits.truth import untruths
from tileir import BuildError, Bytecode
from tileir.attributes import Hints, IntegerAttribute
from tileir.formats.ops import BY_NAME
from tileir.ir import Block, Body, Op, Region, Use
from tileir.types import Scalar, Tile, Token

TEXT = """
entry @k(%n: tile<i32>) {
  %one = constant <i32: 1> : tile<i32>
  %two = addi %n, %one : tile<i32>
  %three = muli %two, %two : tile<i32>
  %sum = for %i in (%one to %n, step %one) : tile<i32> iter_values(%a = %three) -> (tile<i32>) {
    %b = addi %a, %i : tile<i32>
    %c = muli %b, %two : tile<i32>
    continue %c : tile<i32>
  }
  %last = negi %sum : tile<i32>
  return
}
"""


@pytest.fixture
def bytecode() -> Bytecode:
    """The module of `TEXT`, read from bytes."""
    return Bytecode.parse(tileir.assemble(TEXT).data)


def ops(bytecode: Bytecode) -> dict[str, Op]:
    """Its ops by what `TEXT` calls them."""
    names = ("one", "two", "three", "sum", "b", "c", "continue", "last", "return")
    return dict(zip(names, bytecode.functions[0].walk(), strict=True))


def names(block: Block) -> list[str]:
    """The ops of a block."""
    return [op.name for op in block.ops]


def test_uses_and_parents(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    assert op["two"].result.uses == (
        Use(op["three"], "lhs", None),
        Use(op["three"], "rhs", None),
        Use(op["c"], "rhs", None),
    )
    assert [use.slot for use in op["one"].result.uses] == ["rhs", "lowerBound", "step"]
    assert op["last"].result.uses == ()
    assert op["three"].result.uses == (Use(op["sum"], "initValues", 0),)
    assert op["three"].result.uses[0].value is op["three"].result
    assert op["b"].parent_op is op["sum"]
    assert op["b"].depth == 1
    assert op["sum"].parent_op is None
    assert op["sum"].depth == 0
    assert op["b"].parent.parent is op["sum"].regions[0]
    assert op["b"].root is op["one"].root is bytecode.functions[0].body
    assert (op["last"].index, op["c"].index) == (4, 1)
    assert op["b"].is_before(op["c"])
    assert not op["c"].is_before(op["b"])
    assert not untruths(bytecode)


def test_what_is_visible(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    (index, carried), (n,) = op["b"].parent.arguments, op["one"].parent.arguments
    for value in (n, op["one"].result, index, carried, op["two"].result):
        assert value.is_visible_to(op["b"])
    for value in (op["b"].result, op["c"].result, op["sum"].result):
        assert not value.is_visible_to(op["b"])
    assert not carried.is_visible_to(op["last"])


def test_insertions(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    made = op["two"].clone()
    with pytest.raises(BuildError, match="addi: rhs: %1: tile<i32> is not visible here"):
        made.insert_before(op["one"])
    with pytest.raises(BuildError, match="part of a body already"):
        op["two"].insert_before(op["three"])
    with pytest.raises(BuildError, match="addi cannot come after return"):
        made.insert_after(op["return"])
    with pytest.raises(BuildError, match="continue ends its block"):
        op["continue"].clone().insert_before(op["b"])
    assert made.parent is None
    assert len(op["one"].result.uses) == 3
    made.insert_after(op["two"])
    assert op["two"].index + 1 == made.index
    assert Use(made, "rhs", None) in op["one"].result.uses
    assert not untruths(bytecode)
    bytecode.build()


def test_moves(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    with pytest.raises(BuildError, match="muli: lhs: %2: tile<i32> is not visible here"):
        op["three"].move_before(op["two"])
    with pytest.raises(BuildError, match="for: initValues: %3: tile<i32> is not visible here"):
        op["three"].move_after(op["sum"])
    with pytest.raises(BuildError, match="for cannot be put into itself"):
        op["sum"].move_before(op["b"])
    with pytest.raises(BuildError, match="is not visible here"):
        op["b"].move_before(op["sum"])
    assert names(op["one"].parent) == ["constant", "addi", "muli", "for", "negi", "return"]
    copied = op["two"].clone()
    copied.insert_before(op["b"])
    op["c"].operands["rhs"] = copied.result
    copied.move_before(op["sum"])
    assert copied.parent is op["sum"].parent
    assert not untruths(bytecode)
    assert not tileir.verify(bytecode)


def test_erasing(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    with pytest.raises(BuildError, match="addi: muli uses %2"):
        op["two"].erase()
    with pytest.raises(BuildError, match="for: negi uses"):
        op["sum"].erase()
    op["last"].erase()
    op["sum"].erase()
    assert op["last"].parent is None
    assert [use.op for use in op["two"].result.uses] == [op["three"], op["three"]]
    assert op["three"].result.uses == ()
    assert not untruths(bytecode)
    with pytest.raises(BuildError, match="negi is not part of a body"):
        op["last"].erase()


def test_replacing(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    with pytest.raises(BuildError, match="negi has 1 results, found 0"):
        op["last"].replace_with()
    with pytest.raises(BuildError, match="is not visible here"):
        op["two"].replace_with(op["three"].result)
    with pytest.raises(BuildError, match="expected a value, found None"):
        op["two"].replace_with(None)
    token = Op(BY_NAME["make_token"], {}, {})
    token.add_result(Token())
    token.insert_before(op["two"])
    with pytest.raises(BuildError, match="the types differ"):
        op["two"].replace_with(token.result)
    op["last"].replace_with(None)
    op["two"].replace_with(op["one"].result)
    assert op["three"].operands == {"lhs": op["one"].result, "rhs": op["one"].result}
    assert not untruths(bytecode)
    op["one"].result.replace_all_uses_with(
        op["three"].parent.arguments[0], lambda use: use.op is op["three"]
    )
    assert len(op["one"].result.uses) == 3
    assert not tileir.verify(Bytecode.parse(bytecode.build()))


def test_lists_and_dicts_keep_the_truth(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    block = op["one"].parent
    assert len(op["one"].result.uses) == 3
    op["three"].operands["lhs"] = op["one"].result
    assert len(op["one"].result.uses) == 4
    op["three"].operands.update(rhs=op["one"].result)
    assert len(op["one"].result.uses) == 5
    op["three"].operands = {"lhs": op["two"].result, "rhs": op["two"].result}
    assert len(op["one"].result.uses) == 3
    del block.ops[3]
    assert op["sum"].parent is None
    assert op["one"].result.uses == (Use(op["two"], "rhs", None),)
    block.ops.insert(3, op["sum"])
    block.ops[:] = [*block.ops[:2], *reversed(block.ops[2:])]
    assert [each.index for each in block.ops] == list(range(6))
    region = op["sum"].regions[0]
    inner = region.blocks.pop()
    assert op["one"].result.uses
    assert inner.parent is None
    region.blocks.append(inner)
    op["sum"].regions = [Region([inner.clone()])]
    assert not untruths(bytecode)


def test_a_node_has_one_parent(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    block = op["one"].parent
    for mistake in (
        lambda: block.ops.append(op["two"]),
        lambda: block.ops.extend([op["two"]]),
        lambda: block.ops.insert(0, op["b"]),
        lambda: block.ops.__setitem__(0, op["two"]),
        lambda: block.ops.__imul__(2),
        lambda: op["sum"].regions[0].blocks.append(block),
        lambda: Block(ops=[op["one"]]),
        lambda: Body(bytecode.functions[0].type, block),
        lambda: setattr(op["b"].parent, "ops", [op["one"]]),
        lambda: op["two"].regions.append(Region()),
    ):
        with pytest.raises(BuildError):
            mistake()
        assert bytecode.build() == bytecode.data
        assert not untruths(bytecode)


def test_arguments_and_results(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    block = op["b"].parent
    value = block.add_argument(Tile(Scalar("f32")))
    assert (value.owner, value.index, repr(value)) == (block, 2, "%?: tile<f32>")
    with pytest.raises(BuildError, match="addi uses"):
        block.remove_argument(1)
    with pytest.raises(BuildError, match="there is no number 7 of 3"):
        block.remove_argument(7)
    block.remove_argument(2)
    assert len(block.arguments) == 2
    with pytest.raises(BuildError, match="negi uses"):
        op["sum"].remove_result(0)
    op["sum"].add_result(Token())
    op["sum"].remove_result(1)
    assert bytecode.build() == bytecode.data


def test_clones_are_alike_and_apart(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    values: dict = {}
    made = op["sum"].clone(values)
    assert [each.name for each in made.walk()] == [each.name for each in op["sum"].walk()]
    assert made.operands == op["sum"].operands
    inner = made.regions[0].block
    assert inner.ops[0].operands["lhs"] is inner.arguments[1] is values[op["b"].parent.arguments[1]]
    assert inner.ops[1].operands["rhs"] is op["two"].result
    made.attributes["unsignedCmp"] = True
    assert op["sum"].attributes["unsignedCmp"] is False
    assert len(op["two"].result.uses) == 3
    made.insert_after(op["sum"])
    assert len(op["two"].result.uses) == 4
    assert not untruths(bytecode)
    body = bytecode.functions[0].body.clone()
    assert body.block.ops[1].operands["lhs"] is body.block.arguments[0]
    assert [str(each.location) for each in body.walk()] == [
        str(each.location) for each in bytecode.functions[0].walk()
    ]


def test_a_copy_that_uses_other_values(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    made = op["last"].clone({op["sum"].result: op["one"].result})
    assert made.operands["source"] is op["one"].result


def test_deep_nesting_is_cloned_without_recursion() -> None:
    block = Block(ops=[Op(BY_NAME["return"], {"operands": ()}, {})])
    for _ in range(2000):  # twice what Python's stack holds
        around = Op(BY_NAME["loop"], {"initValues": ()}, {}, regions=[Region([block])])
        block = Block(ops=[around])
    assert len(list(block.clone().ops[0].walk())) == 2001


def test_many_insertions_at_one_place(bytecode: Bytecode) -> None:
    """The keys between two neighbours are used up, and are given anew."""
    op = ops(bytecode)
    made = [op["two"].clone() for _ in range(200)]
    for each in made:
        each.insert_before(op["three"])
    assert op["one"].parent.ops[2:202] == made
    for each in made:
        each.move_after(op["two"])
    assert op["one"].parent.ops[2:202] == made[::-1]
    assert not untruths(bytecode)


def test_parts_are_not_pickled_alone(bytecode: Bytecode) -> None:
    with pytest.raises(TypeError, match="pickle the Bytecode"):
        pickle.dumps(ops(bytecode)["one"])
    assert copy.deepcopy(ops(bytecode)["two"]).operands == ops(bytecode)["two"].operands


def test_operands_are_not_shared_by_two_ops(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    assert len(op["one"].result.uses) == 3
    op["three"].operands = op["two"].operands
    op["three"].operands["lhs"] = op["one"].result
    assert op["two"].operands["lhs"] is op["one"].parent.arguments[0]
    made = Op(op["two"].spec, op["two"].operands, dict(op["two"].attributes))
    made.operands["lhs"] = op["one"].result
    assert op["two"].operands["lhs"] is op["one"].parent.arguments[0]
    assert not untruths(bytecode)


def test_a_dict_that_is_held_stays_the_dict(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    held = op["three"].operands
    assert op["one"].result.uses
    held["lhs"] = op["one"].result
    assert op["three"].operands["lhs"] is op["one"].result
    assert Use(op["three"], "lhs", None) in op["one"].result.uses


def test_what_was_taken_out_uses_nothing(bytecode: Bytecode) -> None:
    op = ops(bytecode)
    assert len(op["one"].result.uses) == 3
    op["last"].remove()
    op["last"].operands["source"] = op["one"].result
    assert len(op["one"].result.uses) == 3
    assert op["last"].result.uses == ()
    assert len(op["one"].result.uses) == 3
    op["last"].insert_after(op["one"])
    assert len(op["one"].result.uses) == 4
    assert not untruths(bytecode)


def test_nothing_is_put_into_itself(bytecode: Bytecode) -> None:
    loop = ops(bytecode)["sum"]
    loop.remove()
    with pytest.raises(BuildError, match="cannot be put into itself"):
        loop.regions[0].block.ops.append(loop)
    with pytest.raises(BuildError, match="cannot be put into itself"):
        loop.regions[0].block.ops = [loop]
    assert loop.root is loop


def test_a_walk_while_ops_come_and_go(bytecode: Bytecode) -> None:
    function, seen = bytecode.functions[0], []
    for each in function.walk():
        seen.append(each.name)
        if each.name == "muli" and each.parent_op is None:
            each.replace_with(each.operands["lhs"])
        elif each.name == "addi":
            each.clone().insert_before(each)
    assert seen == ["constant", "addi", "muli", "for", "addi", "muli", "continue", "negi", "return"]
    assert not untruths(bytecode)


def test_threads_that_ask_for_uses_at_once() -> None:
    text = "".join(f"%v{i} = addi %n, %n : tile<i32>\n" for i in range(3000))
    bytecode = tileir.assemble(f"entry @k(%n: tile<i32>) {{\n{text}return }}")
    value = bytecode.functions[0].parameters[0]
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: len(value.uses), range(8)))
    assert counts == [6000] * 8


def test_clones_have_hints_of_their_own() -> None:
    bytecode = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    function = bytecode.functions[0]
    function.hints = Hints({"sm_90": {"occupancy": IntegerAttribute(Scalar("i32"), 2)}})
    clone = function.clone("other")
    clone.hints.entries["sm_90"].clear()
    assert function.hints.entries["sm_90"]
    load = next(each for each in function.walk() if each.name == "load_view_tko")
    load.attributes["optimization_hints"] = Hints({"sm_90": {}})
    load.clone().attributes["optimization_hints"].entries.clear()
    assert load.attributes["optimization_hints"].entries


def test_parameters_come_and_go() -> None:
    bytecode = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    function = bytecode.functions[0]
    count = len(function.parameters)
    value = function.add_parameter(Tile(Scalar("f32")))
    assert function.parameters[count] is value
    with pytest.raises(BuildError, match="uses"):
        function.remove_parameter(0)
    again = Bytecode.parse(bytecode.build())
    assert len(again.functions[0].type.parameters) == count + 1
    function.remove_parameter(count)
    assert bytecode.build() == bytecode.data
    with pytest.raises(TypeError, match=r"copied with clone\(\)"):
        copy.deepcopy(function)
