"""Canonical forms: each rule on an op that it is for, and on one that it must leave alone."""

from __future__ import annotations

import pytest

from tileir import Bytecode, assemble, disassemble, verify
from tileir.ir import Op, Value
from tileir.rewrite.canonical.canonicalise import REGIONS, canonicalise
from tileir.rewrite.canonical.rules import RULES
from tileir.rewrite.opt import opt

INT, SHORT, FLOAT, TILE = "tile<i32>", "tile<i8>", "tile<f32>", "tile<2x4xi32>"
PARAMETERS = "ijsfpau"
SPREAD = "broadcast(reshape(%i))"
"""The tile %t."""
HEAD = f"""
entry @k(%i: {INT}, %j: {INT}, %s: {SHORT}, %f: {FLOAT}, %p: tile<ptr<i32>>, %a: tile<i64>,
         %u: tile<i1>) {{
  %zero = constant <i32: 0> : {INT}
  %one = constant <i32: 1> : {INT}
  %two = constant <i32: 2> : {INT}
  %ones = constant <i32: -1> : {INT}
  %true = constant <i1: true> : tile<i1>
  %x = reshape %i : {INT} -> tile<1x1xi32>
  %t = broadcast %x : tile<1x1xi32> -> {TILE}
"""
CASES = {
    "compute-integers": [(f"%r = muli %two, %ones : {INT}", "<i32: -2>")],
    "compute-bits": [(f"%r = select %true, %two, %one : tile<i1>, {INT}", "<i32: 2>")],
    "compute-floats": [
        (f"%c = constant <f32: 1.5> : {FLOAT}\n%r = mulf %c, %c : {FLOAT}", "<f32: 2.25>"),
        (
            f"%c = constant <f32: 0x7F800001> : {FLOAT}\n%r = negf %c : {FLOAT}",
            "<f32: 0xFF800001 (nan)>",
        ),
    ],
    "compute-conversions": [(f"%r = itof %two signed : {INT} -> {FLOAT}", "<f32: 2.0>")],
    "move-constants": [
        (f"%r = reshape %two : {INT} -> tile<1xi32>", "<i32: 2>"),
        (
            (
                "%c = constant <i32: [[1, 2], [3, 4]]> : tile<2x2xi32>\n"
                "%r = permute %c [1, 0] : tile<2x2xi32> -> tile<2x2xi32>"
            ),
            "<i32: [1, 3, 2, 4]>",
        ),
        (
            (
                "%c = constant <i32: [1, 2]> : tile<2xi32>\n"
                "%d = reshape %c : tile<2xi32> -> tile<2x1xi32>\n"
                "%r = broadcast %d : tile<2x1xi32> -> tile<2x2xi32>"
            ),
            "<i32: [1, 1, 2, 2]>",
        ),
        (
            (
                "%c = constant <i32: [1, 2, 3, 4]> : tile<4xi32>\n"
                "%r = extract %c[%one] : tile<4xi32> -> tile<2xi32>"
            ),
            "<i32: [3, 4]>",
        ),
        (
            (
                "%c = constant <i32: 7> : tile<4xi32>\n"
                "%r = cat %c, %c dim = 0 : tile<4xi32>, tile<4xi32> -> tile<8xi32>"
            ),
            "<i32: 7>",
        ),
    ],
    "constant-right": [
        (f"%r = addi %two, %i : {INT}", "addi(%i, <i32: 2>)"),
        (
            f"%r = cmpi less_than %two, %i, signed : {INT} -> tile<i1>",
            "cmpi greater_than(%i, <i32: 2>)",
        ),
    ],
    "neutral": [
        (f"%r = addi %i, %zero : {INT}", "%i"),
        (f"%r = divi %i, %one signed : {INT}", "%i"),
        (f"%r = andi %i, %ones : {INT}", "%i"),
    ],
    "absorbed": [
        (f"%r = muli %i, %zero : {INT}", "<i32: 0>"),
        (f"%r = ori %i, %ones : {INT}", "<i32: -1>"),
        (f"%r = remi %i, %one signed : {INT}", "<i32: 0>"),
    ],
    "same-operands": [
        (f"%r = subi %i, %i : {INT}", "<i32: 0>"),
        (f"%r = maxi %i, %i signed : {INT}", "%i"),
    ],
    "compared-with-itself": [
        (f"%r = cmpi less_than_or_equal %i, %i, signed : {INT} -> tile<i1>", "<i1: true>"),
        (f"%r = cmpi not_equal %i, %i, signed : {INT} -> tile<i1>", "<i1: false>"),
    ],
    "regrouped": [
        (f"%b = addi %i, %two : {INT}\n%r = addi %b, %one : {INT}", "addi(%i, <i32: 3>)"),
        (f"%b = xori %i, %two : {INT}\n%r = xori %b, %two : {INT}", "%i"),
    ],
    "undone": [
        (f"%b = negi %i : {INT}\n%r = negi %b : {INT}", "%i"),
        (f"%b = negf %f : {FLOAT}\n%r = negf %b : {FLOAT}", "%f"),
    ],
    "without-sign": [
        (f"%b = negf %f : {FLOAT}\n%r = absf %b : {FLOAT}", "absf(%f)"),
        (f"%b = absf %f : {FLOAT}\n%r = absf %b : {FLOAT}", "absf(%f)"),
    ],
    "narrowed-again": [
        (f"%b = exti %s signed : {SHORT} -> {INT}\n%r = trunci %b : {INT} -> {SHORT}", "%s"),
        (
            f"%b = trunci %a : tile<i64> -> {INT}\n%r = trunci %b : {INT} -> {SHORT}",
            "trunci(%a)",
        ),
    ],
    "widened-again": [
        (
            f"%b = exti %s signed : {SHORT} -> {INT}\n%r = exti %b signed : {INT} -> tile<i64>",
            "exti(%s)",
        )
    ],
    "there-and-back": [
        (
            (
                "%b = ptr_to_int %p : tile<ptr<i32>> -> tile<i64>\n"
                "%r = int_to_ptr %b : tile<i64> -> tile<ptr<i32>>"
            ),
            "%p",
        )
    ],
    "same-type": [(f"%r = reshape %t : {TILE} -> {TILE}", SPREAD)],
    "one-step": [
        (
            (
                f"%b = reshape %t : {TILE} -> tile<8xi32>\n"
                "%r = reshape %b : tile<8xi32> -> tile<4x2xi32>"
            ),
            f"reshape({SPREAD})",
        )
    ],
    "not-permuted": [(f"%r = permute %t [0, 1] : {TILE} -> {TILE}", SPREAD)],
    "permuted-once": [
        (
            (
                f"%b = permute %t [1, 0] : {TILE} -> tile<4x2xi32>\n"
                f"%r = permute %b [1, 0] : tile<4x2xi32> -> {TILE}"
            ),
            SPREAD,
        )
    ],
    "whole": [(f"%r = extract %t[%i, %j] : {TILE} -> {TILE}", SPREAD)],
    "chosen": [(f"%r = select %true, %i, %j : tile<i1>, {INT}", "%i")],
    "not-moved": [
        ("%r = offset %p, %zero : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>", "%p"),
    ],
    REGIONS: [
        (
            (
                f"%r = if %true -> ({INT}) {{\n%b = addi %i, %one : {INT}\nyield %b : {INT}\n}} "
                f"else {{\nyield %two : {INT}\n}}"
            ),
            "addi(%i, <i32: 1>)",
        ),
        (
            (
                f"%r = for %n in (%two to %one, step %one) : {INT} iter_values(%v = %i) -> ({INT}) "
                f"{{\ncontinue %n : {INT}\n}}"
            ),
            "%i",
        ),
    ],
}
"""Rule -> lines of which the last one makes %r, and what that is in canonical form."""

LEFT_ALONE = (
    f"%r = divi %two, %zero signed : {INT}",
    f"%r = shli %two, %ones : {INT}",
    f"%b = addi %i, %one overflow<no_signed_wrap> : {INT}\n%r = addi %b, %one : {INT}",
    f"%c = constant <f32: 0.1> : {FLOAT}\n%r = mulf %c, %c : {FLOAT}",
    f"%c = constant <f32: 0.0> : {FLOAT}\n%r = addf %f, %c : {FLOAT}",
    f"%b = exti %s unsigned : {SHORT} -> {INT}\n%r = exti %b signed : {INT} -> tile<i64>",
    f"%r = exti %s signed : {SHORT} -> {INT}",
    "%c = constant <i1: false> : tile<i1>\n%r = maxi %true, %c signed : tile<i1>",
    (
        f"%r = for %n in (%one to %two, step %one) : {INT} iter_values(%v = %i) -> ({INT}) "
        f"{{\ncontinue %n : {INT}\n}}"
    ),
)


def test_every_rule_has_a_case() -> None:
    assert {*CASES} == {rule.name for rule in RULES} | {REGIONS}


def module_of(lines: str) -> Bytecode:
    """A kernel with these lines, in which something unknown depends on %r."""
    type = lines.splitlines()[-1].rpartition(" : ")[2].rpartition("-> ")[2].rpartition(", ")[2]
    if lines.endswith("}"):
        type = INT
    both = f"yield %r : {type}"
    text = f"{HEAD}{lines}\n%w = if %u -> ({type}) {{\n{both}\n}} else {{\n{both}\n}}\n"
    return assemble(f"{text}return\n}}\n")


def shown(value: Value) -> str:
    """How a value is computed, from constants and parameters."""
    op = value.owner
    if not isinstance(op, Op):
        return f"%{PARAMETERS[value.index]}"
    if op.name == "constant":
        return str(op.attributes["value"])
    relation = op.attributes.get("comparison_predicate", "")
    return f"{f'{op.name} {relation}'.rstrip()}({', '.join(map(shown, op.operand_list()))})"


def result(module: Bytecode) -> str:
    """How %r is computed."""
    *_, choice, _ = module.functions[0].ops
    return shown(next(choice.regions[0].block.ops[-1].operand_list()))


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str) -> None:
    for lines, expected in CASES[name]:
        module = module_of(lines)
        assert canonicalise(module.functions[0].body)[name], lines
        assert result(module) == expected
        assert not verify(Bytecode.parse(module.build()))


@pytest.mark.parametrize("lines", LEFT_ALONE)
def test_what_is_not_exact_is_left_alone(lines: str) -> None:
    module = module_of(lines)
    before = disassemble(module)
    assert not canonicalise(module.functions[0].body)
    assert disassemble(module) == before


def test_constants_are_computed_through_a_chain_of_ops() -> None:
    """Each op sees operands that are canonical already, in regions that run, too."""
    module = assemble(
        f"""
        entry @k(%p: tile<ptr<i32>>) {{
          %one = constant <i32: 1> : {INT}
          %two = addi %one, %one : {INT}
          %less = cmpi less_than %one, %two, signed : {INT} -> tile<i1>
          %four = if %less -> ({INT}) {{
            %inner = muli %two, %two : {INT}
            %same = if %less -> ({INT}) {{ yield %inner : {INT} }} else {{ yield %one : {INT} }}
            yield %same : {INT}
          }} else {{
            %lost = addi %two, %one : {INT}
            yield %lost : {INT}
          }}
          %5 = store_ptr_tko weak %p, %four : tile<ptr<i32>>, {INT} -> token
          return
        }}
        """
    )
    made = opt(module, ["canonicalise", "dce"])
    four, store, end = made.functions[0].ops
    assert [str(four.attributes["value"]), store.name, end.name] == [
        "<i32: 4>", "store_ptr_tko", "return",
    ]  # fmt: skip
    assert len(module.functions[0].ops) == 6  # the module given stays as it is


def test_large_constants_are_not_computed_with() -> None:
    numbers = ", ".join(map(str, range(128)))
    lines = f"%c = constant <i32: [{numbers}]> : tile<128xi32>\n%r = addi %c, %c : tile<128xi32>"
    assert not canonicalise(module_of(lines).functions[0].body)
