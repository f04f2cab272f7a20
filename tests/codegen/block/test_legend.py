"""The legend explains every type and every op that a text of block IR has."""

from __future__ import annotations

from pathlib import Path

from tileir.codegen.block.legend import BLOCK_IR, IN_ROLES, TYPES, legend
from tileir.codegen.block.rows import ROWS
from tileir.codegen.block.text.reading import parsed
from tileir.ir import Op
from tileir.types import Tile

SAMPLE = (Path(__file__).parent / "text" / "sample.txt").read_text()


def ops(entry: str) -> list[Op]:
    (kernel,) = [each for each in parsed(SAMPLE) if each.symbol == entry]
    return list(kernel.body.walk())


def test_every_type_is_explained() -> None:
    own = {row.mnemonic for row in ROWS}
    every = [op for kernel in parsed(SAMPLE) for op in kernel.body.walk() if op.name in own]
    kinds = {type(value.type) for op in every for value in (*op.operand_list(), *op.results)}
    plain = {kind for kind in kinds if kind is Tile or kind.__module__ == Tile.__module__}
    assert kinds - plain == {*TYPES}
    said = "".join(legend(every))
    assert all(f"//   {spelled}" in said for spelled, _ in TYPES.values())
    assert all(f"//   {name} " in said or f"//   {name}\n" in said for name in own)


def test_roles_are_explained_where_there_are_some() -> None:
    with_roles, without = legend(ops("roles")), legend(ops("copied"))
    assert [each in with_roles for each in (IN_ROLES, BLOCK_IR)] == [True, False]
    assert [each in without for each in (IN_ROLES, BLOCK_IR)] == [False, True]
    assert any("phased" in line for line in with_roles)
    assert not any("phased" in line for line in legend(ops("scans")))
