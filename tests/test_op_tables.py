"""Every name that stands in a table of ops is an op.

A misspelt row is silent: nothing ever looks it up. So the source is read for strings that stand
beside op names: keys of a dict, elements of a set, list or tuple, cases of a match. A table that is
looked up by the name of an op has ops only, and so has all that such a name is compared with.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tileir.codegen.block.rows import ROWS
from tileir.formats import enums
from tileir.formats.ops import BY_NAME

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder in ("codegen", "tileir", "tests/lab/model")
    for path in (ROOT / folder).rglob("*.py")
    if not {ROOT / "codegen" / "emulator", ROOT / "codegen" / "llvm"} & {*path.parents}
)
"""All but those whose tables are of PTX's and of LLVM's instructions."""

OPS = BY_NAME.keys() | {row.mnemonic for row in ROWS}
"""Ops of Tile IR and of the block IR."""
WORDS = {
    "assert", "constant", "entry", "extract", "global", "if", "module", "offset", "reduce",
}  # fmt: skip
"""Op names that are also words for something else: a table with no others is none of ops."""
CASES = [{*each.by_name} for each in vars(enums).values() if isinstance(each, enums.Enum)]
"""Cases of an enum are a table of their own, even if one of them is called like an op."""


MAY_BE_A_TABLE = (
    ast.Dict, ast.Set, ast.List, ast.Tuple, ast.BinOp, ast.Call, ast.Match, ast.Compare,
)  # fmt: skip
"""Of what `keys` and `rows` find something in; most nodes are others."""


def keys(node: ast.AST | None) -> list[ast.expr]:
    """What a literal collection is looked up by."""
    match node:
        case ast.Dict():
            return [key for key in node.keys if key is not None]
        case ast.Set() | ast.List() | ast.Tuple():
            return node.elts
        case ast.BinOp():
            return keys(node.left) + keys(node.right)
        case ast.Call(func=ast.Attribute(attr="fromkeys") | ast.Name(id="frozenset" | "set")):
            return keys(node.args[0]) if node.args else []
        case ast.Match():
            patterns = (inner for case in node.cases for inner in ast.walk(case.pattern))
            return [it.value for it in patterns if isinstance(it, ast.MatchValue)]
    return []


def names(expressions: list[ast.expr]) -> set[str]:
    """The strings among some keys."""
    found = (it.value for it in expressions if isinstance(it, ast.Constant))
    return {value for value in found if isinstance(value, str)}


def rows(node: ast.AST) -> list[list[ast.Tuple]]:
    """Tuples that stand below each other and are as long: their columns are tables, not they."""
    groups: list[list[ast.expr]] = [keys(node), node.values if isinstance(node, ast.Dict) else []]
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
        groups += [[side] for side in (node.left, *node.comparators)]
    tuples = [[it for it in group if isinstance(it, ast.Tuple)] for group in groups]
    return [group for group in tuples if len({len(it.elts) for it in group}) == 1]


def compared(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Whatever is called a name, as text, and what that is compared with or looked up in."""
    for node in nodes:
        match node:
            case ast.Compare(left=ast.Attribute(attr="name") as name, comparators=[other]):
                yield ast.unparse(name), other
            case ast.Subscript(value=table, slice=ast.Attribute(attr="name") as name):
                yield ast.unparse(name), table
            case ast.Call(
                func=ast.Attribute(value=table, attr="get"),
                args=[ast.Attribute(attr="name") as name, *_],
            ):
                yield ast.unparse(name), table


def strays(source: str) -> set[str]:
    """What stands among op names and is none."""
    nodes = [*ast.walk(ast.parse(source))]
    tabular = [node for node in nodes if isinstance(node, MAY_BE_A_TABLE)]
    groups = [group for node in tabular for group in rows(node)]
    single = {id(row) for group in groups for row in group}
    tables = [names(keys(node)) for node in tabular if id(node) not in single]
    tables += [
        names([*column])
        for group in groups
        for column in zip(*(row.elts for row in group), strict=True)
    ]
    found = [table for table in tables if table & OPS - WORDS]

    assigned: dict[str, ast.expr | None] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                assigned[name] = node.value
    with_names: dict[str, set[str]] = {}
    for name, other in compared(nodes):
        table = assigned.get(other.id) if isinstance(other, ast.Name) else other
        with_names.setdefault(name, set()).update(names([*keys(table), table] if table else []))
    found += [
        others
        for name, others in with_names.items()
        if name.split(".")[-2] in ("op", "owner") or others & OPS - WORDS
    ]
    return {
        stray
        for table in found
        for stray in table - OPS
        if not any(table <= cases for cases in CASES)
    }


def test_tables_of_ops_have_ops_only() -> None:
    found = {str(path.relative_to(ROOT)): strays(path.read_text()) for path in FILES}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(
    "source",
    [
        'W = dict.fromkeys(("exp", "log", "powf"), 6)',
        '{"addi": 1, "powf": 2}',
        '{"addi", *others, "powf"}',
        '[("sqrt", "approx"), ("powf", "approx")]',
        '{"yield": ("if",), "break": ("loop", "powf")}',
        'match name:\n    case "exp" | "powf": pass',
        'op.name == "powf"',
        'value.owner.name in ("powf",)',
        'user.name == "exp" or user.name == "powf"',
        'T = {"powf": 1}\nT.get(op.name)',
        'T = {"powf": 1}\nT[op.name]',
        'T: set[str] = {"powf"}\nop.name in T',
        'T = dict.fromkeys(("powf",), 1) | other\nT[op.name]',
    ],
)
def test_strays_are_found(source: str) -> None:
    assert strays(source) == {"powf"}


@pytest.mark.parametrize(
    "source",
    [
        '{"entry": name, "parameters": found}',
        '{"add": 1, "addf": 2, "xchg": 3}',
        'element.name == "tf32"',
        'op.name == "exp" and element.name in ("f16", "bf16")',
        '{("tanh", "approx"): 1, ("exp", "approx"): 2}',
        '{"ptr": ("int_to_ptr", "result"), "i4": ("trunci", "to")}',
        '(mnemonic, slot) == ("itof", "to")',
    ],
)
def test_other_tables_are_let_be(source: str) -> None:
    assert strays(source) == set()
