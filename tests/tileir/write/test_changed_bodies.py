"""An op edited in place is held to what the builder asks of a new one, when the file is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.tileir.every_op import ones
from tileir import BuildError, Bytecode, Function
from tileir.builder import Module
from tileir.ir import Op, Value
from tileir.types import Scalar, Tile
from tileir.write import changed_bodies

I32 = Tile(Scalar("i32"))


def fixture(name: str) -> Bytecode:
    return Bytecode.parse((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())


def find(function: Function, name: str) -> Op:
    """The first op of that name."""
    return next(op for op in function.walk() if op.name == name)


def widen(value: Value) -> None:
    """Give a value another element type."""
    other = "f64" if value.type.element != Scalar("f64") else "f32"
    value.type = Tile(Scalar(other), value.type.shape)


def two_of_a_kind(function: Function) -> None:
    add = find(function, "addf")
    add.operands["rhs"] = next(v for v in add.operands["rhs"].owner.operand_list())


def drop(function: Function) -> None:
    del find(function, "load_view_tko").attributes["memory_scope"]  # it is absent, but says so
    find(function, "addf").attributes["rounding_mode"] = "zero"


def hand_over(function: Function) -> None:
    end = find(function, "continue")
    end.operands = {"operands": ()}


def take(function: Function) -> None:
    find(function, "for").regions[0].block.arguments[0].type = Tile(Scalar("i64"))


EDITS: dict[str, tuple[str, str, Callable[[Function], object]]] = {
    "result type": ("vector_add", r"body\[\d+\]: addf: .* all of .* have same type",
        lambda f: widen(find(f, "addf").result)),
    "operand": ("vector_add", r"addf: operand #1 must be tile", two_of_a_kind),
    "inferred type": ("vector_add", r"load_view_tko: expected tile type to be '!cuda_t",
        lambda f: widen(find(f, "load_view_tko").results[0])),
    "case": ("vector_add", r"addf: invalid rounding mode .*rounding_mode is full",
        lambda f: find(f, "addf").attributes.update(rounding_mode="full")),
    "attribute": ("vector_add", r"load_view_tko: memory_scope is missing", drop),
    "no terminator": ("vector_add", r"vector_add: body: block with no terminator",
        lambda f: f.ops.pop()),
    "end of a region": ("loop_sum", r"region: invalid block structure: .*cuda_tile.addf",
        lambda f: find(f, "for").regions[0].block.ops.pop()),
    "handed over": ("loop_sum", r"\.region\[\d+\]: continue: `for` is missing a valid",
        hand_over),
    "block argument": ("loop_sum", r"for: expected induction variable to be same type", take),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_what_breaks_a_rule_is_not_written(name: str) -> None:
    file, message, edit = EDITS[name]
    bytecode = fixture(file)
    edit(bytecode.functions[0])
    with pytest.raises(BuildError, match=message):
        bytecode.build()
    other = fixture("softmax")
    other.functions.append(bytecode.functions[0])
    with pytest.raises(BuildError, match=message):
        other.build()


@pytest.mark.oracle
@pytest.mark.parametrize("name", sorted({*EDITS} - {"attribute"}))
def test_nvidia_refuses_it_too(name: str, tool, tmp_path: Path) -> None:
    """What would have been written is nothing that NVIDIA's compiler takes."""
    file, _, edit = EDITS[name]
    bytecode, path = fixture(file), tmp_path / "edited.tileirbc"
    for changed in (False, True):
        if changed:
            edit(bytecode.functions[0])
        path.write_bytes(bytecode.build(check=False))
        done = tool("tileiras", "--gpu-name", "sm_100", path, "-o", tmp_path / "out")
        assert (done.returncode != 0) == changed, done.stderr


def test_kernels_of_the_builder_are_checked_again() -> None:
    module = Module()
    kernel = module.function("f")
    kernel.negf(ones(kernel, "f32"))
    kernel.return_()
    module.build()
    widen(kernel.body.block.ops[1].result)
    with pytest.raises(
        BuildError,
        match=r"function f: body\[1\]: negf: .* all of .source, result. have same type",
    ):
        module.build()
    bytecode = fixture("vector_add")
    bytecode.functions.append(kernel)
    with pytest.raises(BuildError, match=r"function f: body\[1\]: negf"):
        bytecode.build()


def test_what_is_wrong_in_the_file_may_stay() -> None:
    wrong, _, edit = "vector_add", None, EDITS["result type"][2]
    bytecode = fixture(wrong)
    edit(bytecode.functions[0])
    found = Bytecode.parse(bytecode.build(check=False))
    find(found.functions[0], "addf").attributes["rounding_mode"] = "zero"
    again = Bytecode.parse(found.build())
    assert find(again.functions[0], "addf").attributes["rounding_mode"] == "zero"
    widen(find(again.functions[0], "load_view_tko").results[0])
    with pytest.raises(BuildError, match="load_view_tko"):
        again.build()


def test_what_is_only_looked_at_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given):
        raise AssertionError

    monkeypatch.setattr(changed_bodies, "own_problem", never)
    bytecode = fixture("loop_sum")
    assert list(bytecode.functions[0].walk())
    assert bytecode.build() == bytecode.data
    bytecode.functions[0].name = "renamed"
    assert Bytecode.parse(bytecode.build()).functions[0].name == "renamed"
