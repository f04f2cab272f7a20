"""What has no meaning is refused by the model, and where it was is said."""

from __future__ import annotations

import numpy as np
import pytest

from tileir import assemble

from . import Undefined, run

ARRAY = "%p: tile<ptr<i32>>, %n: tile<i32>"
LOADED = "%x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token"


def launched(body: str, number: int, size: int = 4) -> np.ndarray:
    """The array after a kernel with such a body; its first element holds 7."""
    array = np.full(size, 7, np.int32)
    text = f"entry @kernel({ARRAY}) {{\n{body}\nreturn\n}}\n"
    run(assemble(text), "kernel", (1,), [array, number])
    return array


STORED = "%t1 = store_ptr_tko weak %p, %y : tile<ptr<i32>>, tile<i32> -> token"
OFFSET = "%q = offset %p, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
VIEWED = """
  %tv = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(2), tensor_view<4xi32, strides=[1]>>
  %y, %u = load_view_tko weak %pv[%n] : partition_view<tile=(2), tensor_view<4xi32, strides=[1]>>,
    tile<i32> -> tile<2xi32>, token
"""

CASES = {
    "division by zero": (f"{LOADED}\n%y = divi %x, %n signed : tile<i32>\n{STORED}", 2, 0),
    "shift by the width": (f"{LOADED}\n%y = shli %x, %n : tile<i32>\n{STORED}", 31, 32),
    "out of bounds": (
        f"{OFFSET}\n%y, %u = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token", 3, 4,
    ),
    "tile 2 of 2": (VIEWED, 1, 2),
    "overflow despite": (
        "%y = addi %n, %n overflow<no_signed_wrap> : tile<i32>", 2**30 - 1, 2**30,
    ),
    "does not hold": ("%y = assume div_by<4>, %n : tile<i32>", 8, 6),
    "a step of": ("for %i in (%n to %n, step %n) : tile<i32> {\n}", 1, 0),
}  # fmt: skip
"""What is said -> a body, a number with which it has a meaning, one with which it has none."""


@pytest.mark.parametrize("message", CASES)
def test_what_is_undefined_is_refused(message: str) -> None:
    body, good, bad = CASES[message]
    launched(body, good)
    with pytest.raises(Undefined, match=message) as caught:
        launched(body, bad)
    assert caught.value.op is not None
    assert caught.value.op.name in str(caught.value)


def test_memory_that_was_never_written_is_not_read() -> None:
    room = "%r = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>"
    load = "%y, %u = load_ptr_tko weak %r : tile<ptr<i32>> -> tile<i32>, token"
    store = "%w = store_ptr_tko weak %r, %n : tile<ptr<i32>>, tile<i32> -> token"
    assert launched(f"{room}\n{store}\n{load}\n{STORED}", 5)[0] == 5
    with pytest.raises(Undefined, match="never written"):
        launched(f"{room}\n{load}\n{STORED}", 5)


def test_prints_and_asserts_are_collected() -> None:
    text = """entry @kernel(%n: tile<i32>) {
      %c = constant <i1: [true, false]> : tile<2xi1>
      assert %c, "wrong" : tile<2xi1>
      %t = print_tko "n is %d", %n : tile<i32> -> token
      return
    }"""
    outcome = run(assemble(text), "kernel", (2,), [5])
    assert outcome.asserts == [("wrong", (1,))] * 2
    assert [(text, int(values[0])) for text, values in outcome.prints] == [("n is %d", 5)] * 2
