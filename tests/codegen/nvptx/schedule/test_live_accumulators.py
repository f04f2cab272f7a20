"""Which accumulators live at once, and the threads that a block gets for them."""

from __future__ import annotations

from tileir import assemble
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.schedule.block_size import threads_of
from tileir.codegen.nvptx.schedule.live_accumulators import accumulator_words
from tileir.gpus import TARGETS

SIZE = 128
WORDS = SIZE * SIZE
"""Those of one accumulator."""
A, C = f"tile<{SIZE}x16xf16>", f"tile<{SIZE}x{SIZE}xf32>"
B = f"tile<16x{SIZE}xf16>"
TYPES = f"{A}, {B}, {C}"
START = f"""
%a = constant <f16: 1.0> : {A}
%b = constant <f16: 1.0> : {B}
%c = constant <f32: 0.0> : {C}
%zero = constant <i32: 0> : tile<i32>
"""
LOOP = f"""
%X = for %iX in (%zero to %n, step %n) : tile<i32> iter_values(%accX = %c) -> ({C}) {{
  %sX = mmaf %a, %b, %c : {TYPES}
  %halfX = mulf %accX, %accX : {C}
  %pX = ftof %sX : {C} -> tile<{SIZE}x{SIZE}xf16>
  %sumX = mmaf %pX, %q, %halfX : tile<{SIZE}x{SIZE}xf16>, tile<{SIZE}x{SIZE}xf16>, {C}
  continue %sumX : {C}
}}
"""
SQUARE = f"%q = constant <f16: 1.0> : tile<{SIZE}x{SIZE}xf16>"


def kernel(*lines: str) -> KernelIR:
    body = "\n".join(lines)
    text = f"entry @k(%n: tile<i32>) {{ {START} {SQUARE}\n {body}\n return }}"
    module = assemble(text)
    return KernelIR.copy_of(module.functions[0], module)


def multiplied(name: str, acc: str = "%c") -> str:
    return f"{name} = mmaf %a, %b, {acc} : {TYPES}"


def test_a_sum_of_products_has_one() -> None:
    assert accumulator_words(kernel(multiplied("%x"), multiplied("%y", "%x"))) == WORDS


def test_one_that_is_used_later_lives_on() -> None:
    last = f"%z = addf %x, %y : {C}"
    assert accumulator_words(kernel(multiplied("%x"), multiplied("%y"), last)) == 2 * WORDS
    assert accumulator_words(kernel(multiplied("%x"), multiplied("%y"))) == WORDS


def test_what_is_made_of_one_element_by_element_lives_on() -> None:
    made, last = f"%w = exp %x : {C}", f"%z = addf %w, %y : {C}"
    assert accumulator_words(kernel(multiplied("%x"), made, multiplied("%y"), last)) == 2 * WORDS


def test_loops_one_after_the_other_share_registers() -> None:
    """In each, one is carried while another one is made, as in attention."""
    loops = [LOOP.replace("X", name) for name in "xy"]
    assert accumulator_words(kernel(loops[0])) == 2 * WORDS
    assert accumulator_words(kernel(*loops)) == 2 * WORDS


def test_one_from_around_a_loop_lives_in_all_of_it() -> None:
    loop, last = LOOP.replace("X", "x"), f"%z = addf %first, %x : {C}"
    assert accumulator_words(kernel(multiplied("%first"), loop, last)) == 3 * WORDS


def test_two_loops_get_no_more_threads_than_one() -> None:
    small = [LOOP.replace("X", name) for name in "xy"]
    target = TARGETS["sm_80"]
    assert threads_of(kernel(*small), target) == threads_of(kernel(small[0]), target) == 256
