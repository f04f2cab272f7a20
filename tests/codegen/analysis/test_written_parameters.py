"""Which parameters a kernel writes through."""

from __future__ import annotations

import pytest

from tests.codegen.build import Kernel
from tileir import assemble
from tileir.codegen.analysis.written_parameters import written_parameters
from tileir.codegen.kernel import KernelIR


def written_by(build) -> frozenset[int]:
    """The parameters that a kernel writes through, with what `build` puts into it."""
    kernel = Kernel("entry", "ptr<i32>", "ptr<i32>", "i32", "i1")
    build(kernel)
    (function,) = kernel.module().functions
    return frozenset(written_parameters(KernelIR.of(function)))


def put(kernel: Kernel, pointer) -> None:
    kernel.op(
        "store_ptr_tko", pointer, kernel.parameters[2],
        results=["token"], memory_ordering_semantics="weak",
    )  # fmt: skip


def through_a_view(kernel: Kernel) -> None:
    view = kernel.view(kernel.parameters[1], [16], [16])
    kernel.store(kernel.load(kernel.view(kernel.parameters[0], [16], [16]), *kernel.zeros(1)),
                 view, *kernel.zeros(1))  # fmt: skip


def through_arithmetic(kernel: Kernel) -> None:
    moved = kernel.op("offset", kernel.parameters[0], kernel.parameters[2], results=["ptr<i32>"])
    put(kernel, kernel.op("ptr_to_ptr", moved, results=["ptr<i32>"]))


def through_a_choice(kernel: Kernel) -> None:
    first, second, _, condition = kernel.parameters
    put(kernel, kernel.op("select", condition, first, second, results=["ptr<i32>"]))


def through_a_number(kernel: Kernel) -> None:
    put(kernel, kernel.op("int_to_ptr", kernel.constant("i64", 64), results=["ptr<i32>"]))


def by_an_atomic(kernel: Kernel) -> None:
    kernel.op(
        "atomic_rmw_tko", kernel.parameters[1], kernel.parameters[2],
        results=["i32", "token"], memory_ordering_semantics="relaxed", memory_scope="device",
        mode="add",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda kernel: None, set()), (through_a_view, {1}), (through_arithmetic, {0}),
        (through_a_choice, {0, 1}), (through_a_number, {0, 1}), (by_an_atomic, {1}),
    ],
)  # fmt: skip
def test_what_is_written_through(build, expected: set[int]) -> None:
    assert written_by(build) == expected


LOOPS = """entry @moving(
    %a: tile<ptr<i32>>, %b: tile<ptr<i32>>, %c: tile<ptr<i32>>, %n: tile<i32>) {
  %t = make_token : token
  %r, %s = for %i in (%n to %n, step %n) : tile<i32>
      iter_values(%p = %a, %q = %n) -> (tile<ptr<i32>>, tile<i32>) {
    %next = offset %b, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    continue %next, %q : tile<ptr<i32>>, tile<i32>
  }
  %token = store_ptr_tko weak %r, %n token=%t : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""


def test_what_is_written_through_an_address_that_a_loop_carries() -> None:
    (function,) = assemble(LOOPS).functions
    assert written_parameters(KernelIR.of(function)) == {0, 1}
