"""Which module of the product imports which, read from their source: types and functions too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAYERS = ("formats", "tileir", "codegen")


def module_of(path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "tileir":
        parts = ("tileir", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module of the product, and its file."""
    files = (path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py")))
    return {module_of(path): path for path in files}


def blocks(node: ast.AST) -> Iterator[ast.AST]:
    """The statements directly inside of a module or statement, and its handlers and cases.

    Imports are among them: there is no need to look at expressions, of which there are ten times
    as many.
    """
    for name in ("body", "orelse", "handlers", "finalbody", "cases"):
        inside = getattr(node, name, ())
        yield from inside if isinstance(inside, list) else ()


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a file, wherever in it."""
    for each in blocks(node):
        yield each
        yield from statements(each)


def imported_by(name: str, path: Path) -> set[str]:
    """The modules of the product that a file imports, wherever in it."""
    found = set()
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _base(name, path, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in modules() else base)
    return (found & set(modules())) - {name}


def _base(name: str, path: Path, node: ast.ImportFrom) -> str:
    """The absolute name of what `from ... import` stands for."""
    if node.level == 0:
        return node.module or ""
    package = name.split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    package = package[: len(package) - node.level + 1]
    return ".".join([*package, *([node.module] if node.module else [])])


@cache
def graph() -> dict[str, frozenset[str]]:
    """Module -> the modules that it imports."""
    return {name: frozenset(imported_by(name, path)) for name, path in modules().items()}


def circles(arrows: dict[str, frozenset[str]]) -> list[list[str]]:
    """Groups of nodes that reach each other, each sorted."""
    ahead = {name: _reached(name, arrows) for name in arrows}
    groups = {
        tuple(sorted({name, *(other for other in ahead[name] if name in ahead[other])}))
        for name in arrows
    }
    return sorted([*group] for group in groups if len(group) > 1)


def _reached(start: str, arrows: dict[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [*arrows[start]]
    while waiting:
        name = waiting.pop()
        if name in arrows and name not in seen:
            seen.add(name)
            waiting += arrows[name]
    return seen
