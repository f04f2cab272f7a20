"""Which parameters are extents and strides of which array, as far as bodies tell it."""

from __future__ import annotations

import json

import pytest

import tileir
from tests.launches import newest
from tileir.launch.roles import Assumed, Roles, by_convention, roles_of, untold

UNORDERED = """
entry @unordered(%rows: tile<i32>, %y: tile<ptr<f32>>, %a: tile<f32>, %pitch: tile<i32>,
                 %x: tile<ptr<f32>>, %columns: tile<i64>) {
  %rows_1 = assume bounded<0, ?>, %rows : tile<i32>
  %rows_2 = exti %rows_1 unsigned : tile<i32> -> tile<i64>
  %pitch_1 = assume div_by<8>, %pitch : tile<i32>
  %pitch_2 = exti %pitch_1 signed : tile<i32> -> tile<i64>
  %x_1 = assume div_by<16>, %x : tile<ptr<f32>>
  %x_2 = make_tensor_view %x_1, shape = [%rows_2, %columns], strides = [%pitch_2, 1]
    : tile<i64> -> tensor_view<?x?xf32, strides=[?,1]>
  %y_2 = make_tensor_view %y, shape = [%rows_2, %columns], strides = [1, 64]
    : tile<i64> -> tensor_view<?x?xf32, strides=[1,64]>
  return
}"""
"""Extents that two arrays share, and no parameter where cuTile has it."""


def roles(text: str) -> Roles:
    """The roles of the first entry of a text."""
    return roles_of(tileir.assemble(text).functions[0].body)


def views(parameters: str, *made: str) -> list[str]:
    """What the parameters of a kernel are that makes views, each given as base, shape and type."""
    ops = [
        f"%v{n} = make_tensor_view {base}, shape = [{shape}], strides = [1] : tile<i32> -> {kind}"
        if "?" in kind
        else f"%v{n} = make_tensor_view {base}, shape = [{shape}], strides = [1] : {kind}"
        for n, (base, shape, kind) in enumerate(each.split(" | ") for each in made)
    ]
    return roles(f"entry @k({parameters}) {{\n" + "\n".join([*ops, "return"]) + "\n}").described()


def test_parameters_in_any_order() -> None:
    found = roles(UNORDERED)
    assert found.described() == [
        "array 0: extent 0; array 1: extent 0",
        "array 0: shape (?, ?), strides (1, 64)",
        "scalar",
        "array 1: stride 0, a multiple of 8",
        "array 1: shape (?, ?), strides (?, 1), a multiple of 16",
        "array 0: extent 1; array 1: extent 1",
    ]
    assert str(found).splitlines()[2] == "2: scalar"
    heads = [each if isinstance(each, int) else each.parameter for each in found.arguments]
    assert heads == [1, 2, 4]
    # `rows` is read as signed by its assumption, the pitch by its extension.
    assert found.assumed[0] == Assumed(1, 0, 2**31 - 1)
    assert found.assumed[3] == Assumed(8, None, 2**31 - 1)
    assert not found.assumed[2].read
    assert Roles.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_the_fixtures_of_cutile_tell_their_order() -> None:
    """A stride that is constant has a parameter, too, which the body does not mention."""
    assert roles_of(newest("fma_scalar").functions[0].body).described() == [
        f"array {array}: {text}"
        for array in range(3)
        for text in ("shape (?), strides (1), a multiple of 16", "extent 0", "stride 0")
    ] + ["scalar"]
    static = roles_of(newest("static_layout").functions[0].body).described()
    assert static[0] == "array 0: shape (8, 64), strides (?, 1), a multiple of 16"
    assert static[1:3] == ["array 0: extent 0", "array 0: extent 1"]


VECTOR = "tensor_view<?xf32, strides=[1]>"


@pytest.mark.parametrize(
    ("parameters", "made", "expected"),
    [
        ("%x: tile<ptr<f32>>, %n: tile<i32>", [f"%x | %n | {VECTOR}"] * 2,
         ["array 0: shape (?), strides (1)", "array 0: extent 0"]),
        ("%x: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i32>",
         [f"%x | %n | {VECTOR}", f"%x | %m | {VECTOR}"],
         ["array 0: shape (?), strides (1)", "scalar", "scalar"]),
        ("%x: tile<ptr<f32>>", ["%x | 8 | tensor_view<8xf32, strides=[1]>",
                                "%x | 16 | tensor_view<16xf32, strides=[1]>"],
         ["array 0: shape (?), strides (1)"]),
        ("%x: tile<ptr<f32>>, %n: tile<i32>", [], ["array 0, of which nothing more is told",
                                                   "scalar"]),
        # Not where cuTile has the stride: a number behind it is of another type, or is none.
        ("%x: tile<ptr<f32>>, %n: tile<i32>, %f: tile<f32>", [f"%x | %n | {VECTOR}"],
         ["array 0: shape (?), strides (1)", "array 0: extent 0", "scalar"]),
        ("%n: tile<i32>, %x: tile<ptr<f32>>, %a: tile<i32>, %b: tile<i32>",
         [f"%x | %n | {VECTOR}"],
         ["array 0: extent 0", "array 0: shape (?), strides (1)", "scalar", "scalar"]),
    ],
)  # fmt: skip
def test_what_views_agree_about(parameters: str, made: list[str], expected: list[str]) -> None:
    assert views(parameters, *made) == expected


def test_what_the_kernel_computes_is_told_by_nobody() -> None:
    found = roles("""
        entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {
          %eight = constant <i32: 8> : tile<i32>
          %more = addi %n, %eight : tile<i32>
          %v = make_tensor_view %x, shape = [%more, %eight], strides = [%n, 1]
            : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
          %moved = offset %x, %n : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
          %w = make_tensor_view %moved, shape = [%n], strides = [1]
            : tile<i32> -> tensor_view<?xf32, strides=[1]>
          return
        }""")
    assert found.described() == ["array 0: shape (?, 8), strides (?, 1)", "array 0: stride 0"]


def test_assumptions_count_before_the_kernel_may_return() -> None:
    found = roles("""
        entry @k(%x: tile<i32>, %y: tile<i32>, %stop: tile<i1>) {
          %a = assume div_by<4>, %x : tile<i32>
          %b = assume bounded<2, 9>, %a : tile<i32>
          if %stop { return }
          %c = assume div_by<8>, %y : tile<i32>
          return
        }""")
    assert found.assumed[:2] == (Assumed(4, 2, 9, read=False), Assumed(read=False))


def test_what_only_the_caller_knows() -> None:
    function = newest("histogram").functions[0]
    elements = [parameter.element for parameter in function.type.parameters]
    found = roles_of(function.body)
    assert found.arguments == [found.arrays[0], 1, 2, found.arrays[1], 4, 5]
    placed = by_convention(found, elements, [1, 1])
    assert placed is not None
    # The kernel was compiled for strides of 1, which it does not read therefore.
    assert placed.described()[3:] == [
        "array 1: shape (?), strides (1), a multiple of 16",
        "array 1: extent 0",
        "array 1: stride 0",
    ]
    for ranks in ([1], [1, 2], [2, 1], [1, 1, None], [None, None, 1], []):
        assert by_convention(found, elements, ranks) is None
    assert untold(elements).arguments == [*untold(elements).arrays[:1], 1, 2,
                                          *untold(elements).arrays[1:], 4, 5]  # fmt: skip
