"""Numbers of several words, added and multiplied through the carry, against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.emulator.snippets import apply, run
from tests.codegen.emulator.values import combined
from tileir.codegen.emulator import EmulationError

pytestmark = pytest.mark.usefixtures("quiet")


def halves(number: int, bits: int) -> tuple[int, int]:
    return number & (1 << bits) - 1, number >> bits & (1 << bits) - 1


def numbers(bits: int, count: int) -> list[np.ndarray]:
    """Operands of two words each, with many ones and zeros in them: lower words, upper words."""
    kind = f"b{bits}"
    return combined(*(kind,) * (2 * count), most=1024)


def whole(words: list[np.ndarray], bits: int) -> list[list[int]]:
    """Pairs of words as numbers."""
    pairs = zip(words[::2], words[1::2], strict=True)
    return [
        [low + (high << bits) for low, high in zip(a.tolist(), b.tolist(), strict=True)]
        for a, b in pairs
    ]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("sign", "su")
def test_two_words(name: str, bits: int, sign: str) -> None:
    """The lower words set the carry, the upper ones take it; a third takes what those give."""
    kind = f"{sign}{bits}"
    words = numbers(bits, 2)
    x, y = whole(words, bits)
    low = f"{name}.cc.{kind} {{d}}, {{0}}, {{2}};\n"
    chain = {
        0: low,
        1: low + f"{name}c.{kind} {{d}}, {{1}}, {{3}};",
        2: low + f"{name}c.cc.{kind} {{d}}, {{1}}, {{3}};\n{name}c.{kind} {{d}}, 7, 2;",
    }
    function = int.__add__ if name == "add" else int.__sub__
    for place, text in chain.items():
        found = apply(text, *words, to=words[0].dtype)
        sevens, twos = 7 << 2 * bits, 2 << 2 * bits
        results = [function(a + sevens, b + twos) for a, b in zip(x, y, strict=True)]
        expected = [each >> bits * place & (1 << bits) - 1 for each in results]
        assert found.tolist() == expected


@pytest.mark.parametrize("bits", [32, 64])
def test_the_product_of_two_words(bits: int) -> None:
    """c + a * b, of which the lower words of a and b make one product, and so on."""
    words = numbers(bits, 2)
    x, y = whole(words, bits)
    kind = f"u{bits}"
    text = (
        f"mad.lo.cc.{kind} {{d}}, {{0}}, {{2}}, 5;\nmadc.hi.{kind} {{d}}, {{0}}, {{2}}, 9;\n"
        f"mad.lo.cc.{kind} {{d}}, {{1}}, {{2}}, {{d}};\nmad.lo.{kind} {{d}}, {{0}}, {{3}}, {{d}};"
    )
    found = apply(text, *words, to=words[0].dtype)
    expected = [halves(a * b + 5 + (9 << bits), bits)[1] for a, b in zip(x, y, strict=True)]
    assert found.tolist() == expected


@pytest.mark.parametrize("bits", [32, 64])
def test_the_upper_half_of_a_signed_product(bits: int) -> None:
    a, b = combined(f"s{bits}", f"s{bits}")
    text = f"add.cc.u{bits} {{d}}, {{0}}, {{1}};\nmadc.hi.cc.s{bits} {{d}}, {{0}}, {{1}}, -3;\n"
    found = apply(text + f"addc.u{bits} {{d}}, {{d}}, 0;", a, b, to=a.dtype)
    mask = (1 << bits) - 1
    expected = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        carry = (x & mask) + (y & mask) >> bits
        total = (x * y >> bits & mask) + (-3 & mask) + carry
        expected.append((total & mask) + (total >> bits) & mask)
    assert found.view(f"u{bits // 8}").tolist() == expected


def test_a_carry_that_nothing_has_set() -> None:
    with pytest.raises(EmulationError) as caught:
        run("addc.u32 %r5, %r0, %r0;\n")
    assert caught.value.kind == "poison"
