"""Text that is not PTX: whatever is wrong with it, the reader says so, and in which line."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

import tileir
from tests.codegen.emulator.snippets import kernel, plan
from tests.launches import newest
from tileir import EmulationError, UnsupportedError, emulator
from tileir.codegen.emulator.ptx.syntax import read

NAMES = ("vector_add", "dense_constants", "histogram")
COUNT = 170
"""Mutants of each kernel."""
WORD = re.compile(r"[%\w$.]+|[^\s\w]")
OTHERS = ("", ",", ";", ":", "{", "}", "(", ")", "[", "]", "<", "=", "@", "-1", "0x", "x", ".b7")
OTHERS += (".b128", ".reg", ".entry", ".align", ".global", "9" * 20, "1,", "1.5", "\u0663", "/*")
"""Words in place of others, besides words of the same text."""


@cache
def compiled(name: str) -> tileir.Compilation:
    return tileir.compile(newest(name), "sm_90")


def mutant(text: str, chance: random.Random) -> str:
    """The text with one word replaced, or one letter of it."""
    words = [match.span() for match in WORD.finditer(text)]
    start, end = chance.choice(words)
    old = text[start:end]
    how = chance.randrange(3)
    if how == 0:
        new = chance.choice(OTHERS)
    elif how == 1:
        first, last = chance.choice(words)
        new = text[first:last]
    else:
        place = chance.randrange(len(old))
        new = old[:place] + chance.choice("x0,. %;{}<") + old[place + 1 :]
    return text[:start] + new + text[end:]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_the_text_only_our_errors_escape(name: str) -> None:
    kernels = compiled(name)
    chance = random.Random(name)
    found: list[tuple[str, int | None, int]] = []
    for number in range(COUNT):
        text = mutant(kernels.ptx, chance)
        try:
            emulator.load(text, kernels.plan)
        except EmulationError as error:
            found.append((error.kind, error.line, text.count("\n") + 1))
        except Exception as error:
            raise AssertionError(f"mutant {number} of {name}: {error!r}\n{text}") from error
    assert {kind for kind, _, _ in found} == {"syntax"}
    assert all(line is not None and 1 <= line <= last for _, line, last in found)
    assert COUNT // 10 < len(found) < COUNT


def declared(text: str) -> str:
    return kernel("", before=f"\n{text}\n")


PLAIN = kernel(".shared .b32 own;")
WRONG = [
    (PLAIN.replace("%p<16>", "%p<16>,"), ".reg .pred", "no name of registers: ''"),
    (PLAIN.replace(".b16 %h", ", %h"), ".reg , %h", "not a declaration of registers"),
    (PLAIN.replace(".b16 %h", ".b17 %h"), ".reg .b17", "not a declaration of registers"),
    (PLAIN.replace("%h<32>", "%h<x>"), "%h<x>", "no name of registers: '%h<x>'"),
    (PLAIN.replace(".reqntid 64", ".reqntid 128, 1,"), ".reqntid", "one to three numbers"),
    (PLAIN.replace(".reqntid 64", ".reqntid 8 8"), ".reqntid", "one to three numbers"),
    (PLAIN.replace(".reqntid 64", ".reqntid many"), ".reqntid", "one to three numbers"),
    (PLAIN.replace(")", ""), ".entry", "no ) follows"),
    (PLAIN.replace("{", ""), ".entry", "no { follows"),
    (PLAIN.replace("}", ""), "{", "a brace is not closed"),
    (PLAIN.replace(".param .u64", ".param .word"), ".param .word", "no type of a variable: .word"),
    (PLAIN.replace(".param .u64", ".param u64"), ".param u64", "not a declaration"),
    (PLAIN.replace(".shared .b32", ".shared .b33"), ".b33", "no type of a variable: .b33"),
    (PLAIN.replace("ret;", "7;"), "7;", "not an instruction"),
    (declared(".global .align 3 .b8 x[8];"), ".global", "no power of two: 3"),
    (declared(".global .align 0 .b8 x[8];"), ".global", "no power of two: 0"),
    (declared(".global .b32 x = 0x;"), ".global", "x cannot start with 0x"),
    (declared(".global .b32 x = 0f3F8000000;"), ".global", "x cannot start with 0f3F8000000"),
    (declared(".global .b32 x[2] = {1, 2, 3};"), ".global", "x cannot start with 3"),
    (declared(".global .b8 x[2] = {300, x};"), ".global", "x cannot start with x"),
    (declared(".global .b64 x[1] = {1, x};"), ".global", "x cannot start with x"),
    (declared(".global .b64 x[999999999999999];"), ".global", "no memory for the 7999999999999992"),
    (declared(".global .b64 x[99999999999999999];"), ".global", "not a declaration"),
]
"""Text, what stands in the line that is to blame, and what is said of it."""


@pytest.mark.parametrize(("text", "part", "said"), WRONG, ids=[row[2] for row in WRONG])
def test_what_is_wrong_and_where(text: str, part: str, said: str) -> None:
    with pytest.raises(EmulationError, match=re.escape(said)) as caught:
        emulator.load(text, plan())
    assert isinstance(caught.value, UnsupportedError)
    assert caught.value.kind == "syntax"
    assert part in text.splitlines()[caught.value.line - 1]


def test_numbers_in_the_code_that_are_none() -> None:
    """Instructions are looked at when a launch reaches them."""
    for number in ("0x", "12x", "0f3F8000000"):
        program = emulator.load(kernel(f"mov.b32 %r5, {number};"), plan())
        with pytest.raises(UnsupportedError, match=f"no number of type b32: {number}") as caught:
            program["k"].launch(1, [0])
        assert number in program.ptx.splitlines()[caught.value.line - 1]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("%d0+foo", "no number: foo"),
        ("%d0+0x", "no number: 0x"),
        ("99999999999999999999x", "no number: 99999999999999999999x"),
        ("²", "not an address: \\[²\\]"),
        ("%nope", "no such address: \\[%nope\\]"),
    ],
)
def test_addresses_in_the_code_that_are_none(address: str, said: str) -> None:
    program = emulator.load(kernel(f"ld.global.b32 %r5, [{address}];"), plan())
    with pytest.raises(EmulationError, match=said) as caught:
        program["k"].launch(1, [0])
    assert address in program.ptx.splitlines()[caught.value.line - 1]


def test_declarations_over_several_lines() -> None:
    text = read(
        ".global\n .align 8 .b8 x[4] = {1, 2};\n.extern .shared .align 16 .b8 y[];\n"
        ".entry k(\n.param .u64 p0,\n.param .align 4\n.b8 p1[8]\n)\n.reqntid 8, 4\n.maxnreg 32\n"
        "{\n.reg .b128 %q<2>;\nret;\n}\n"
    )
    found = [(v.name, v.space, v.kind, v.count, v.align, v.line) for v in text.variables]
    assert found == [("x", "global", "b8", 4, 8, 1), ("y", "shared", "b8", 0, 16, 3)]
    entry = text.entries["k"]
    assert [(v.name, v.count, v.line) for v in entry.parameters] == [("p0", 1, 5), ("p1", 8, 6)]
    assert (entry.threads, entry.cluster) == ((8, 4, 1), None)
    assert entry.registers == {0: {"%q<2>": "b128"}}
    assert [statement.line for statement in entry.statements] == [13]
