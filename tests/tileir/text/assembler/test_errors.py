"""What is wrong with a text is told at the token that is wrong, and everything at once."""

from __future__ import annotations

import pickle

import pytest

import tileir
from tests.tileir.text.assembler.mutants import cases, outcome
from tileir.formats.limits import Limits
from tileir.text.assembler import assemble
from tileir.text.assembler.diagnostics import MOST_PROBLEMS

BODY = """\
entry @k(%a: tile<i32>, %c: tile<i1>, %p: tile<ptr<f32>>, %f: tile<f32>) {
  @
  return
}
"""

IN_A_BODY = {
    # values and names
    "%x = addi %a, %q : tile<i32>": (17, 2, "%q is not defined before this"),
    "%x = addi %x, %a : tile<i32>": (13, 2, "%x is not defined before this"),
    "%a = addi %a, %a : tile<i32>": (3, 2, "redefinition of %a"),
    "%x:2 = addi %a, %a : tile<i32>": (3, 2, "addi has one result, the names are for 2"),
    "%x, %y = addi %a, %a : tile<i32>": (3, 2, "addi has one result, the names are for 2"),
    '%x = assert %c, "no" : tile<i1>': (3, 2, "assert has no results, the names are for 1"),
    "%x = addi %a, %a#1 : tile<i32>": (17, 4, "%a#1 is not there, %a has one result"),
    "%x:0 = addi %a, %a : tile<i32>": (3, 4, "%x:0 is no pack of results"),
    "%x = addi %a, 3 : tile<i32>": (17, 1, "expected a value such as %0, found '3'"),
    # ops and their formats
    "%x = adi %a, %a : tile<i32>": (8, 3, "there is no op 'adi', did you mean andi?"),
    '%x = "cuda_tile.addi"(%a, %a) : (!t, !t) -> !t': (8, 16, "MLIR's generic form"),
    "entry @f() {}": (3, 5, "there is no op 'entry'"),
    "%x = addi %a %a : tile<i32>": (16, 2, "expected ',', found '%a'"),
    "%x = addi %a, %a tile<i32>": (20, 4, "expected ':', found 'tile'"),
    "%x = addi %a, %a {b = 1} : tile<i32>": (20, 1, "bytecode cannot hold attributes of an op"),
    "%x = iota : tile<8xi32> {b}": (27, 1, "bytecode cannot hold attributes of an op"),
    "%x = addi %a, %a overflow<fast> : tile<i32>": (
        29,
        4,
        "expected 'none', 'no_signed_wrap', 'no_unsigned_wrap' or 'no_wrap', found 'fast'",
    ),
    "%x = sqrt %p rounding<nearest_away> : tile<f32>": (
        25,
        12,
        "expected 'nearest_even', 'zero', 'negative_inf', 'positive_inf'",
    ),
    "%x, %t = load_ptr_tko weak device, %p : tile<ptr<f32>> -> tile<f32>, token": (
        36,
        1,
        "expected a value such as %0, found ','",
    ),
    "%x = cat %a, %a dim = -1 : tile<i32>, tile<i32> -> tile<i32>": (
        25,
        2,
        "-1 is not a number from 0 to 18446744073709551615",
    ),
    "assert %c, no : tile<i1>": (14, 2, "expected a string, found 'no'"),
    'assert %c, "\\q" : tile<i1>': (15, 2, "'\\\\q' stands for nothing"),
    # types
    "%x = iota : tile<7xi32>": (15, 11, "tile<7xi32>: shape[0]: 7 is not a power of two"),
    "%x = iota : tile<8xi33>": (22, 3, "there is no type 'i33'"),
    "%x = iota : tile<8xtoken>": (22, 5, "expected an element type or a pointer, found token"),
    "%x = iota : tile<?xi32>": (20, 1, "the shape of a tile is static"),
    "%x = iota : !t": (15, 2, "!t is not defined"),
    "%x = addi %a, %a : tile<i64>": (13, 2, "%a is tile<i32>, but tile<i64> is stated"),
    "%x = negf %a : tile<i32>": (
        13,
        2,
        "negf: operand #0 must be tile of f16 or bf16 or f32 or f64 values, but got",
    ),
    "%x = cmpi equal %a, %a, signed : tile<i32> -> tile<i8>": (
        49,
        4,
        "cmpi: result #0 must be tile of i1 values, but got '!cuda_tile.tile<i8>'",
    ),
    "%x = broadcast %a : tile<i64> -> tile<8xi64>": (18, 2, "but tile<i64> is stated"),
    "%x = broadcast %a : tile<i32> -> tile<8xi32>": (
        8,
        9,
        "same rank (source is tile<i32>, result is tile<8xi32>)",
    ),
    "%x, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f64>, token": (
        12,
        12,
        "load_ptr_tko: failed to verify that `source` type is expected a pointer type",
    ),
    "%x = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<16xf32, strides=[1]>": (
        38,
        1,
        "8 is written here, tensor_view<16xf32, strides=[1]> has 16",
    ),
    # constants
    "%x = constant <i8: 300> : tile<i8>": (22, 3, "300 does not fit i8"),
    "%x = constant <i8: -129> : tile<i8>": (22, 4, "-129 does not fit i8"),
    "%x = constant <i8: 1.5> : tile<i8>": (22, 3, "expected an integer, found 1.5"),
    "%x = constant <i8: true> : tile<i8>": (22, 4, "expected an integer, found true"),
    "%x = constant <f32: 1> : tile<f32>": (23, 1, "1 is an integer; write 1.0 for f32"),
    "%x = constant <f16: 0x10000> : tile<f16>": (23, 7, "0x10000 is no pattern of 16 bits of f16"),
    "%x = constant <f8E4M3FN: 500.0> : tile<f8E4M3FN>": (28, 5, "which has no infinity"),
    "%x = constant <f8E8M0FNU: 0.0> : tile<f8E8M0FNU>": (29, 3, "which has no zero"),
    "%x = constant <i32: [1, 2]> : tile<4xi32>": (23, 1, "lists of 2 elements for tile<4xi32>"),
    "%x = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>": (
        34,
        1,
        "1 elements, where there were 2 before",
    ),
    "%x = constant <i32: [1, [2]]> : tile<2xi32>": (28, 1, "numbers at different depths"),
    "%x = constant <i32: [1 2]> : tile<2xi32>": (26, 1, "expected ',' or ']', found '2'"),
    "%x = constant <i32: []> : tile<2xi32>": (23, 1, "lists of 0 elements for tile<2xi32>"),
    "%x = constant <i32: [1, 999999999999]> : tile<2xi32>": (27, 12, "does not fit i32"),
    '%x = constant <i32: "0x00"> : tile<2xi32>': (23, 6, "takes 8 bytes, found 1"),
    '%x = constant <i32: "0x0"> : tile<2xi32>': (23, 5, "expected bytes such as"),
    '%x = constant <f4E2M1FN: "0x10"> : tile<2xf4E2M1FN>': (28, 6, "bits that f4E2M1FN does not"),
    "%x = constant <i32: 1> : tile<2xi64>": (
        28,
        4,
        "the numbers are of i32, the type is tile<2xi64>",
    ),
    "%x = constant <f32: nan> : tile<f32>": (23, 3, "nan is written as its bits, for f32 as 0x7F"),
    "%x = constant <f32: [1.0, -inf]> : tile<2xf32>": (29, 4, "-inf is written as its bits"),
    "%x = constant dense<1.0> : tile<f32>": (17, 5, "with their type, as <f32: 1.0> is"),
    "%x = constant <1.0> : tile<f32>": (17, 1, "with their type, as <f32: 1.0> is"),
    "%x = constant 1.0 : tile<f32>": (17, 3, "with their type, as <f32: 1.0> is"),
    # what was meant
    "%x = foo %a": (8, 3, "there is no op 'foo'"),
    "%x = arith.addf %f, %f : tile<f32>": (
        8,
        10,
        "'arith.addf' is of the dialect arith, cuda_tile alone is read, did you mean addf?",
    ),
    "%x = addf %f, %f rounding<nearest_evn> : tile<f32>": (29, 11, "did you mean nearest_even?"),
    "%x = assume divby<16>, %a : tile<i32>": (15, 5, "did you mean div_by?"),
    "%x = iota : tile<8xint32>": (22, 5, "there is no type 'int32', did you mean i32?"),
    "%x = iota : tile<8xF32>": (22, 3, "did you mean f32?"),
    "%x = iota : tensorview<8xi32>": (15, 10, "did you mean tensor_view?"),
    f"%x = iota : tile<{'9' * 20}xi32>": (20, 20, "is not an extent from 0 to 9223372036854775807"),
    # characters of other alphabets
    "%é = addi %a, %a : tile<i32>": (4, 1, "'é' (U+00E9, LATIN SMALL LETTER E WITH ACUTE) can"),
    "%x = addi %aé, %a : tile<i32>": (15, 1, "can only stand in strings and comments"),
    "%x = get_global @aéb : tile<ptr<f32>>": (21, 1, 'comments; write @"aéb"'),
    "%x = addi\xa0%a, %a : tile<i32>": (12, 1, "(U+00A0, NO-BREAK SPACE)"),
    "\udcff": (3, 1, "the byte 0xFF is no UTF-8"),
    # what is missing at the end of a line
    "%x = addi %a, %a": (19, 1, "expected ':', found the end of the line"),
    "%x = addi %a, %a // : tile<i32>": (19, 1, "expected ':', found the end of the line"),
    'assert %c, "//"': (18, 1, "expected ':', found the end of the line"),
    # regions and terminators
    "return\n  %x = iota : tile<8xi32>": (8, 4, "nothing may follow 'return', which ends the body"),
    "break": (3, 5, "break cannot end the body, which ends with return"),
    "%i = if %c -> (tile<i32>) { yield %a : tile<i32> }": (8, 2, "an if with results has an else"),
    "if %c { yield %a : tile<i32> }": (
        11,
        5,
        "yield hands tile<i32> to if, which is to get nothing",
    ),
    "for %i in (%a to %a, step %a) : tile<i32> { break }": (
        47,
        5,
        "break cannot end the region of for, which ends with continue",
    ),
    "for %a in (%a to %a, step %a) : tile<i32> {}": (7, 2, "redefinition of %a"),
    "for %i in (%a to %a, step %c) : tile<i32> {}": (29, 2, "%c is tile<i1>, but tile<i32>"),
    "for %i in (%a to %a, step %a) : tile<i32> iter_values(%v = %a) -> () {}": (
        66,
        2,
        "no types stated of one value",
    ),
    "if %c { return return }": (
        18,
        6,
        "nothing may follow 'return', which ends the then region of if",
    ),
}
"""Line 2 of a kernel -> where in it something is wrong, how long that is, and (part of) what is
said."""

WHOLE = {
    "": None,
    "entry @f() {": (1, 13, "the body opened in line 1 is never closed"),
    "module {": (1, 9, "the module opened in line 1 is never closed"),
    "}": (1, 1, "expected an entry, a global or a module, found '}'"),
    "entry f() {}": (1, 7, "expected a symbol such as @name, found 'f'"),
    "entry @f() {}\nentry @f() {}": (2, 7, "redefinition of @f"),
    "entry @f(%a: i32) {}": (1, 14, "a parameter is a tile of rank 0, not i32"),
    "entry @f(%a: tile<8xi32>) {}": (1, 14, "a parameter is a tile of rank 0, not tile<8xi32>"),
    "entry @f(%a: tile<i32>, %a: tile<i32>) {}": (1, 25, "redefinition of %a"),
    "entry @f() -> tile<i32> {}": (1, 15, "an entry has no results"),
    "entry @f() { return loc(#x) }": (1, 25, "#x is not defined"),
    "entry @f() {}\n#a = #a": (2, 6, "#a refers to itself"),
    "#a = 1\n#a = 2": (2, 1, "redefinition of #a"),
    "#a = \nentry @f() {}": (2, 1, "redefinition"),
    "global @g <i32: 1> : tile<i32>": (1, 22, "a global is a tile of rank 1, not tile<i32>"),
    "entry @f() optimization_hints=<> optimization_hints=<> {}": (1, 34, "is there twice"),
    "entry @f() attributes {a = 1} attributes {a = 2} {}": (1, 31, "a is there twice"),
    "entry @f() attributes {a = 1} {} {a = true}": (1, 34, "a is there twice"),
    "module attributes {a = 1} { module attributes {a = 2} {} }": (1, 47, "a is there twice"),
    "module {} module {}": (1, 11, "one file is one module, and this is a second one"),
    "module {\n\nmodule {\n": (4, 1, "the module opened in line 3 is never closed"),
    "entry @f()\n\nentry @g() {}": (1, 11, "expected '{', found the end of the line"),
    "entry @é() {}": (1, 8, 'comments; write @"é"'),
    "global @g dense<1.0> : tile<1xf32>": (1, 11, "with their type, as <f32: 1.0> is"),
    "\udcff\udcfee\0n\0": (1, 1, "this is UTF-16; text is to be UTF-8"),
    "cuda_tile.module @a {} cuda_tile.module @b {}": (
        1,
        24,
        "one file is one module, and this is a second one",
    ),
    "entry @f() {} loc(fused[unknown])": (1, 19, "bytecode cannot hold a fused location"),
}


def problems_of(text: str, version: str | None = None, **options) -> list[tileir.errors.Problem]:
    with pytest.raises(tileir.AssemblyError) as caught:
        assemble(text, version, **options)
    return caught.value.problems


@pytest.mark.parametrize("line", IN_A_BODY)
def test_a_line_of_a_kernel(line: str) -> None:
    column, length, message = IN_A_BODY[line]
    first = problems_of(BODY.replace("@\n", f"{line}\n"))[0]
    assert message in first.message
    where = 2 + line.count("\n")
    assert (first.line, first.column, first.length) == (where, column, length)


@pytest.mark.parametrize("text", [text for text in WHOLE if WHOLE[text] and "\n#a = #" not in text])
def test_a_text(text: str) -> None:
    line, column, message = WHOLE[text]
    found = [problem for problem in problems_of(text) if problem[:2] == (line, column)]
    if message != "redefinition":
        assert found
        assert message in found[0].message


def test_an_empty_text_is_an_empty_module() -> None:
    assert assemble("").functions == []
    assert assemble("// nothing\n").functions == []


def test_everything_wrong_is_told_once_and_what_follows_from_it_not() -> None:
    text = """\
entry @f(%a: tile<i32>) {
  %x = foo %a : tile<i32>
  %y = addi %x, %a : tile<i32>
  %z = muli %y, %x : tile<i32>
  for %i in (%a to %a step %a) : tile<i32> {
    %inner = bar %i
  }
  %w = subi %a, %a : tile<i64>
}
entry @g() { %b = baz }
entry @h( { return }
entry @i() { %c = iota : tile<8xi32> %c = iota : tile<8xi32> }
"""
    found = [(problem.line, problem.message.split(",")[0]) for problem in problems_of(text)]
    assert found == [
        (2, "there is no op 'foo'"),
        (5, "expected '"),
        (8, "%a is tile<i32>"),
        (10, "there is no op 'baz'"),
        (11, "expected a name such as %arg0"),
        (12, "redefinition of %c"),
    ]


@pytest.mark.parametrize(
    ("lines", "version", "messages"),
    [
        (
            ["%x = addf %f, %f : tile<f64>", "%y = addf %x, %f : tile<f32>"],
            None,
            ["%f is tile<f32>, but tile<f64> is stated"],
        ),
        (
            ["%x = iota : tile<8xi32>", "%x = iota : tile<4xi32>", "%y = negi %x : tile<8xi32>"],
            None,
            ["redefinition of %x"],
        ),
        (
            ["%x = constant <i4: 1> : tile<i4>", "%y = constant <i4: [1, 2]> : tile<2xi4>"],
            "13.1",
            ["i4 needs 13.3, writing 13.1"],
        ),
        (["return"] * 3, None, ["nothing may follow 'return', which ends the body"]),
    ],
)
def test_one_cause_is_one_error(lines: list[str], version: str, messages: list[str]) -> None:
    found = problems_of(BODY.replace("@\n", "\n".join([*lines, ""])), version)
    assert [problem.message for problem in found] == messages


def test_names_end_with_their_region() -> None:
    text = """\
entry @f(%a: tile<i32>, %c: tile<i1>) {
  if %c {
    %in = addi %a, %a : tile<i32>
    if %c {
      %deep = addi %in, %a : tile<i32>
    }
  } else {
    %in = addi %a, %a : tile<i32>
  }
  %in = addi %a, %a : tile<i32>
  %x = addi %deep, %in : tile<i32>
}
entry @g() {
  %x = addi %a, %a : tile<i32>
}
"""
    found = [(problem.line, problem.message) for problem in problems_of(text)]
    gone = "%deep is not visible here, the region that defines it has ended"
    assert found == [(11, gone), *[(14, "%a is not defined before this")] * 2]


def test_the_message_shows_the_line() -> None:
    with pytest.raises(tileir.AssemblyError) as caught:
        tileir.assemble("entry @f() {\n\t%x = what : token\n}", name="kernel.tile")
    assert str(caught.value) == (
        "kernel.tile:2:7: error: there is no op 'what'\n    \t%x = what : token\n    \t     ^~~~"
    )
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_long_lines_are_shown_around_what_is_wrong() -> None:
    text = "entry @f(%a: tile<i32>) {" + "%0 = addi %a, %b : tile<i32> " * 100_000 + "}"
    with pytest.raises(tileir.AssemblyError) as caught:
        assemble(text)
    assert caught.value.more
    assert len(caught.value.problems) == MOST_PROBLEMS
    assert len(str(caught.value)) < 60_000
    assert str(caught.value).endswith("too many errors, the rest was not read")


def test_older_versions_lack_things_each_at_its_place() -> None:
    text = """\
global private @g <i8: 1> : tile<1xi8>
entry @f(%a: tile<f8E8M0FNU>, %b: tile<ptr<f32, <multicast>>>) {
  %0 = make_token : token
  %1 = print_tko "x" token=%0 -> token
  %2 = join_tokens %0, %1 : token
  %c = constant <f32: 1.0> : tile<f32>
  %3 = atan2 %c, %c : tile<f32>
  %4 = exp %c rounding<approx> : tile<f32>
  for unsigned %i in (%n to %n, step %n) : tile<i32> {}
}
"""
    found = [(p.line, p.message) for p in problems_of(text, "13.1") if "needs" in p.message]
    assert found == [
        (1, "global: SymbolVisibility needs 13.3, writing 13.1"),
        (2, "f8E8M0FNU needs 13.2, writing 13.1"),
        (2, "pointer attribute multicast needs 13.5, writing 13.1"),
        (4, "print_tko: token needs 13.2, writing 13.1"),
        (5, "%1 needs 13.2, writing 13.1"),
        (7, "atan2 needs 13.2, writing 13.1"),
        (8, "exp: rounding_mode needs 13.3, writing 13.1"),
    ]


def test_the_token_of_an_old_print_may_be_named() -> None:
    text = 'entry @f() {\n  %0 = print_tko "x" -> token\n}'
    (op, end) = assemble(text, "13.1").functions[0].ops
    assert (op.name, op.results, end.name) == ("print_tko", [], "return")


def test_nesting_has_limits() -> None:
    deep = "entry @f(%c: tile<i1>) {\n" + "if %c {\n" * 2990 + "}\n" * 2990 + "}"
    assert sum(1 for _ in assemble(deep).functions[0].walk()) == 2 * 2990 + 1
    (problem,) = problems_of(deep, limits=Limits(region_depth=9))
    assert (problem.line, problem.message) == (11, "more than 9 regions inside each other")
    too_deep = "entry @f(%c: tile<i1>) {\n" + "if %c {\n" * 50_000 + "}\n" * 50_000 + "}"
    (problem,) = problems_of(too_deep)
    assert problem.message == "more than 3000 regions inside each other"


@pytest.mark.parametrize(
    "text",
    [
        "module attributes {a = " + "[" * 100_000 + "]" * 100_000 + "} {}",
        "module {" * 100_000,
        "entry @f() { return loc(" + "callsite(" * 100_000 + ") }",
        "entry @f() { %x = iota : " + "tile<" * 100_000 + "}",
        "entry @f() { %x = constant <i32: " + "[" * 100_000 + "> : tile<i32> }",
        "entry @f() { %x = constant <i32: " + "9" * 1_000_000 + "> : tile<i32> }",
        "entry @f() { %x = constant <f32: 0." + "9" * 1_000_000 + "> : tile<f32> }",
        "entry @f() { %x = iota : tile<" + "9" * 1_000_000 + "xi32> }",
        "entry @f() { %x = iota : tile<" + "2x" * 100_000 + "i32> }",
        "entry @f() { " + "%x = foo // {\n" * 100_000 + "}",
        'entry @f() { print_tko "' + "a" * 1_000_000,
        'entry @f() { print_tko "' + '\\"' * 200_000,
        'module attributes {a = #b.c<"' + '\\"' * 200_000,
        "entry @f() {\n" + "%a,\n" * 50_000,
        "{" * 1_000_000,
        "%" * 1_000_000,
        "entry @f() { \ud800 }",
    ],
    ids=range(17),
)
def test_hostile_texts_are_refused(text: str) -> None:
    assert problems_of(text)


def test_mutants_are_read_or_refused() -> None:
    """Some damaged texts; thousands with ``python -m tests.tileir.text.assembler.mutants``."""
    found = [outcome(text, version) for text, version in cases(600, seed=5)]
    assert found.count("refused") > 300
    assert found.count("accepted") > 3
