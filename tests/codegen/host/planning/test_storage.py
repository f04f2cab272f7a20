"""Tiles that share memory, or are read late: programs whose plans are easily too bold."""

from __future__ import annotations

import numpy as np
import pytest

import tileir
from tests.codegen.host.text import Kernel
from tests.lab.model import run

SIZE = 64
TILE = f"tile<{SIZE}xi32>"
PAIR = f"{TILE}, {TILE}"

PREFIX = f"""
%one = constant <i32: 1> : tile<i32>
%two = constant <i32: 2> : tile<i32>
%five = constant <i32: 5> : tile<i32>
%three = constant <i32: 3> : {TILE}
"""
"""Divisions by three are dear enough to be kept, and exact."""


def half(result: str, source: str) -> str:
    return f"%{result} = divi %{source}, %three signed : {TILE}\n"


def add(result: str, lhs: str, rhs: str) -> str:
    return f"%{result} = addi %{lhs}, %{rhs} : {TILE}\n"


def compare(body: str) -> None:
    """`body` makes the tiles %x and %y of the arrays %array0 and %array1."""
    kernel = Kernel()
    given = np.random.default_rng(3).integers(-(2**30), 2**30, (2, SIZE)).astype(np.int32)
    for array in given:
        kernel.load(array)
    kernel.line(PREFIX + body)
    for name in ("%x", "%y"):
        kernel.store(name, np.zeros(SIZE, np.int32))
    module = tileir.assemble(kernel.module())
    arrays = [*given.copy(), *np.zeros((2, SIZE), np.int32)]
    expected = [array.copy() for array in arrays]
    run(module, "k", (1, 1, 1), expected)
    tileir.compile(module, target="host")["k"].launch(1, arrays)
    np.testing.assert_array_equal(arrays, expected)


def counted(body: str) -> str:
    """A `for` that carries the arrays as %a and %b."""
    return f"""
        %r:2 = for %i in (%zero to %five, step %one) : tile<i32>
            iter_values(%a = %array0, %b = %array1) -> ({PAIR}) {{
            %is_two = cmpi equal %i, %two, signed : tile<i32> -> tile<i1>
            {body}
        }}
        {add("x", "r#0", "three")}
        {add("y", "r#1", "three")}
    """


def endless(last: str) -> str:
    """A `loop` that carries the arrays as %a and %b, and ends with `last`, which breaks."""
    return f"""
        %r:2 = loop iter_values(%a = %array0, %b = %array1, %i = %zero)
            : {PAIR}, tile<i32> -> {PAIR} {{
            %next = addi %i, %one : tile<i32>
            %done = cmpi equal %i, %five, signed : tile<i32> -> tile<i1>
            %odd = cmpi not_equal %i, %two, signed : tile<i32> -> tile<i1>
            if %done {{
                {last}
            }}
            {add("more", "a", "b")}
            continue %b, %more, %next : {PAIR}, tile<i32>
        }}
        {add("x", "r#0", "three")}
        {add("y", "r#1", "three")}
    """


@pytest.mark.parametrize(
    "body",
    [
        # What another branch hands over is still read where its buffer is to be written to.
        f"""{half("s", "a")}
            if %is_two {{
                {half("t", "s")} {half("u", "t")} {add("v", "u", "t")}
                continue %b, %v : {PAIR}
            }}
            {add("d", "s", "b")}
            continue %s, %d : {PAIR}""",
        # The same, where it would be written to by an op in the branch.
        f"""{half("s", "a")}
            if %is_two {{
                {half("n", "b")} {add("m", "n", "s")}
                continue %n, %m : {PAIR}
            }}
            {add("d", "s", "b")}
            continue %s, %d : {PAIR}""",
        # A cycle, and a tile that is read at other places than it is written to.
        f"""%t = reshape %a : {TILE} -> tile<8x8xi32>
            %u = permute %t [1, 0] : tile<8x8xi32> -> tile<8x8xi32>
            %v = reshape %u : tile<8x8xi32> -> {TILE}
            {add("w", "v", "b")}
            continue %w, %a : {PAIR}""",
        # In place, but for a part that comes from elsewhere in the tile.
        f"""%part = extract %a[%two] : {TILE} -> tile<8xi32>
            %n = insert %part, %a[%one] : tile<8xi32>, {TILE}
            {add("m", "n", "b")}
            continue %n, %m : {PAIR}""",
    ],
    ids=["between branches", "in a branch", "moved", "inserted"],
)  # fmt: skip
def test_carried_tiles_change_at_once(body: str) -> None:
    compare(counted(body))


@pytest.mark.parametrize(
    ("inits", "body", "end"),
    [
        (("a", "b"), add("m", "c", "d") + f"continue %m, %c : {PAIR}", "five"),
        (("b", "a"), add("m", "c", "d") + f"continue %m, %c : {PAIR}", "five"),
        (("a", "b"), add("m", "c", "a") + f"continue %m, %d : {PAIR}", "five"),
        (("a", "b"), add("m", "c", "b") + f"continue %m, %c : {PAIR}", "two"),
        (("h", "b"), add("m", "c", "d") + f"continue %m, %d : {PAIR}", "five"),
        (("b", "h"), add("m", "c", "d") + f"continue %m, %d : {PAIR}", "zero"),
    ],
    ids=["goes on", "swapped", "read inside", "read by the other", "computed", "no iteration"],
)
def test_inner_loops_go_on_with_what_the_outer_one_carries(
    inits: tuple[str, str], body: str, end: str
) -> None:
    first, second = inits
    inner = f"""
        {half("h", "a")}
        %q:2 = for %j in (%zero to %{end}, step %one) : tile<i32>
            iter_values(%c = %{first}, %d = %{second}) -> ({PAIR}) {{
            {body}
        }}
        continue %q#0, %q#1 : {PAIR}"""
    compare(counted(inner))


@pytest.mark.parametrize(
    "last",
    [
        f"""{half("t", "b")}
            if %odd {{
                {half("u", "a")} {add("v", "u", "t")}
                break %u, %v : {PAIR}
            }}
            {add("q", "t", "a")}
            break %t, %q : {PAIR}""",
        f"""{half("t", "b")}
            if %odd {{
                {add("v", "a", "t")}
                break %a, %v : {PAIR}
            }}
            {add("q", "t", "a")}
            break %t, %q : {PAIR}""",
    ],
    ids=["made in the branch", "handed over in the branch"],
)
def test_results_of_a_loop_are_set_at_once(last: str) -> None:
    compare(endless(last))


def test_what_a_reduction_reads_outlives_the_tiles_of_its_body() -> None:
    """The body runs between two elements, and has a tile that would fit in the operand's place."""
    compare(f"""
        {half("h", "array0")}
        %wide = cat %h, %h dim = 0 : {PAIR} -> tile<{2 * SIZE}xi32>
        %r = reduce %wide dim=0 identities=[0 : i32] : tile<{2 * SIZE}xi32> -> tile<i32>
        (%a: tile<i32>, %b: tile<i32>) {{
            %one_a = reshape %a : tile<i32> -> tile<1xi32>
            %many = broadcast %one_a : tile<1xi32> -> tile<256xi32>
            %same = scan %many dim=0 reverse=false identities=[0 : i32] : tile<256xi32>
                -> tile<256xi32> (%c: tile<i32>, %d: tile<i32>) {{
                %e = maxi %c, %d signed : tile<i32>
                yield %e : tile<i32>
            }}
            %first = extract %same[%zero] : tile<256xi32> -> tile<1xi32>
            %f = reshape %first : tile<1xi32> -> tile<i32>
            %sum = addi %f, %b : tile<i32>
            yield %sum : tile<i32>
        }}
        %s = reshape %r : tile<i32> -> tile<1xi32>
        %t = broadcast %s : tile<1xi32> -> {TILE}
        {add("x", "t", "array1")}
        {add("y", "t", "x")}
    """)


def test_an_element_is_read_before_the_loop_that_reads_the_tile() -> None:
    """The load is not put off to that loop."""
    compare(f"""
        %e = extract %array0[%five] : {TILE} -> tile<1xi32>
        %all = broadcast %e : tile<1xi32> -> {TILE}
        {add("x", "array0", "all")}
        {add("y", "array1", "all")}
    """)
