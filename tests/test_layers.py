"""Imports go one way: formats <- tileir <- codegen; reading needs no code generator."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.import_graph import blocks, circles, graph, modules

ROOT = Path(__file__).parent.parent

ALLOWED = {
    "formats": {"construct"},
    "tileir": {"construct", "tileir.formats"},
    "codegen": {"llvmlite", "numpy", "ml_dtypes", "tileir"},
}
LAZY = {"tileir": {"tileir.codegen", "numpy", "ml_dtypes", "rich", "pygments"}}
"""What may only be imported inside a function."""
GUESTS = {
    "tileir/cutile/": {"torch", "pytest", "sitecustomize"},
    "tileir/batches/cluster.py": {"distributed"},
    "tileir/batches/urls.py": {"fsspec", "aiohttp"},
    "tileir/batches/reporting/parquet.py": {"pyarrow"},
    "codegen/cache/remote_files.py": {"fsspec"},
    "codegen/device/": {"cuda"},
    "codegen/tileiras_remarks.py": {"yaml"},
    "tileir/resources/cubin.py": {"elftools"},
    "tileir/kernel_tuner.py": {"kernel_tuner"},
    "tileir/reference/completion_command.py": {"shtab"},
}
"""Folders, and what more may be imported there inside a function."""
ON_DEMAND = {
    "tileir/pygments_lexer.py": {"pygments"},
    "tileir/ir/arrays.py": {"numpy", "ml_dtypes"},
    "tileir/cutile/arguments.py": {"numpy"},
    "tileir/cutile/breakpoints.py": {"cuda"},
    "tileir/cutile/cupy_stand_in/": {"numpy"},
    "tileir/cutile/image.py": {"numpy"},
    "tileir/cutile/torch_stand_in/": {"llvmlite", "torch"},
    "tileir/smith/": {"numpy", "ml_dtypes"},
    "tileir/lsp/server.py": {"pygls", "lsprotocol"},
}
"""Modules or folders that are only imported where these packages are there, or are asked for."""
STUBS = {"_typeshed"}
"""What type checkers bring along, to be imported where only they look."""


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Absolute imports of a file, and whether each is inside a function."""
    found = []
    for node, inside in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, inside) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.append((node.module, inside))
        elif isinstance(node, ast.ImportFrom):
            found.append((resolve(path, node), inside))
    return found


def statements(node: ast.AST, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """The statements of a file, and whether each is inside a function."""
    inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(node)
    for each in blocks(node):
        yield each, inside
        yield from statements(each, inside)


def is_for_types(node: ast.AST) -> bool:
    """Whether this is ``if TYPE_CHECKING:``, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def resolve(path: Path, node: ast.ImportFrom) -> str:
    """The absolute name of a relative import."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    package = list(parts[: len(parts) - node.level])
    assert package, f"{path}: relative import above the layer"
    name = ".".join([*package, *([node.module] if node.module else [])])
    return name if package[0] == "tileir" else f"tileir.{name}"


def layer_of(module: str) -> str:
    top = module.split(".")
    if top[0] != "tileir":
        return top[0]
    return f"tileir.{top[1]}" if top[1:2] in (["formats"], ["codegen"]) else "tileir"


@pytest.mark.parametrize("layer", ["formats", "tileir", "codegen"])
def test_imports_go_one_way(layer: str) -> None:
    own = {"formats": "tileir.formats", "tileir": "tileir", "codegen": "tileir.codegen"}[layer]
    known = {*ALLOWED[layer], own}
    if layer == "codegen":
        known.add("tileir.formats")
    wrong = []
    for path in sorted((ROOT / layer).rglob("*.py")):
        for module, inside in imports(path):
            where = layer_of(module)
            if where in sys.stdlib_module_names or where in known - LAZY.get(layer, set()):
                continue
            name = path.relative_to(ROOT).as_posix()
            if inside and where in LAZY.get(layer, set()) | STUBS:
                continue
            if inside and any(where in GUESTS[f] for f in GUESTS if name.startswith(f)):
                continue
            if any(where in ON_DEMAND[f] for f in ON_DEMAND if name.startswith(f)):
                continue
            wrong.append(f"{name} imports {module}")
    assert not wrong


ROOMS = (
    "messages",
    "remote",
    "ir",
    "launch",
    "read",
    "verifier",
    "write",
    "builder",
    "text",
    "explain",
    "tools",
    "tileiras",
    "doctor",
    "supervisor",
    "command_line",
    "commands",
    "samples",
    "predicates",
    "bisect",
    "advise",
    "smith",
    "mutation",
    "diff",
    "reduce",
    "rewrite",
    "tilepack",
    "stats",
    "resources",
    "report",
    "serve",
    "batches",
    "cutile",
    "reference",
    "lsp",
    "playground",
)
"""The rooms of `tileir`; each imports from those before it and from the modules on top."""


def test_rooms_are_in_one_order() -> None:
    """Except for what `tileir` offers itself: its modules on top are doors to every room."""
    place = {name: number for number, name in enumerate(ROOMS)}
    rooms = {p.name for p in (ROOT / "tileir").iterdir() if (p / "__init__.py").exists()}
    assert rooms == set(ROOMS)
    back = [
        f"{name} imports {other}"
        for name, others in graph().items()
        for other in others
        if (here := name.split(".")[1:2]) and here[0] in place
        if (there := other.split(".")[1:2]) and there[0] in place
        if place[there[0]] > place[here[0]]
    ]
    assert not back


@pytest.mark.parametrize("layer", ["formats", "tileir", "codegen"])
def test_no_modules_import_each_other(layer: str) -> None:
    """Neither directly nor around a corner, for types, or inside of functions."""
    mine = {name for name, path in modules().items() if path.relative_to(ROOT).parts[0] == layer}
    mine.discard("tileir")  # the package itself: its functions import what they are doors to
    assert not circles({name: graph()[name] & mine for name in mine})


def test_circles_are_found() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert circles({name: frozenset(others) for name, others in arrows.items()}) == [["b", "c"]]


def test_emulator_and_compiler_for_gpus_do_not_know_each_other() -> None:
    """What one of them believes wrongly, the other need not."""
    strangers = {
        "emulator": ("nvptx", "device", "host", "analysis", "transform"),
        "nvptx": ("emulator",),
    }
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for room, others in strangers.items()
        for path in sorted((ROOT / "codegen" / room).rglob("*.py"))
        for module, _ in imports(path)
        if module.startswith(tuple(f"tileir.codegen.{other}" for other in others))
    ]
    assert not wrong


EMULATOR = ("ptx", "threads", "memory", "ops", "counting", "running")
"""Its rooms; each may import those before it."""


def test_rooms_of_the_emulator_know_those_before_them() -> None:
    folder = ROOT / "codegen" / "emulator"
    wrong = []
    for place, room in enumerate(EMULATOR):
        later = tuple(f"tileir.codegen.emulator.{name}" for name in EMULATOR[place + 1 :])
        for path in sorted((folder / room).rglob("*.py")):
            wrong += [
                f"{room}/{path.name} imports {module}"
                for module, _ in imports(path)
                if module.startswith(later)
            ]
    assert not wrong
    assert {path.parent.name for path in folder.glob("*/*.py")} == set(EMULATOR)


def test_reading_needs_no_code_generator() -> None:
    program = (
        "import sys, pathlib, tileir\n"
        "from tileir.explain.annotate import annotate\n"
        "data = pathlib.Path('fixtures/13.4/vector_add.tileirbc').read_bytes()\n"
        "list(annotate(tileir.Bytecode.parse(data)))\n"
        "tileir.disassemble(data, debug=True)\n"
        "heavy = {'llvmlite', 'numpy', 'ml_dtypes', 'tileir.codegen', 'rich', 'pygments'}\n"
        "heavy &= set(sys.modules)\n"
        "print(','.join(sorted(heavy)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_no_module_hides_a_name_of_its_package() -> None:
    """Once it is imported, a module is an attribute of its package, whatever had that name."""
    hidden = []
    for name, path in modules().items():
        if path.name != "__init__.py":
            continue
        inside = {p.stem for p in path.parent.glob("*.py")} | {
            p.name for p in path.parent.iterdir()
        }
        bound = set()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ImportFrom | ast.Import):
                bound |= {
                    alias.asname or alias.name
                    for alias in node.names
                    if not (
                        isinstance(node, ast.ImportFrom) and f"{name}.{alias.name}" in modules()
                    )
                }
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                bound.add(node.name)
        hidden += [f"{name}.{one}" for one in bound & inside]
    assert not hidden


def test_no_module_hides_a_public_function() -> None:
    import importlib.util
    import pkgutil

    import tileir

    without_torch = importlib.util.find_spec("torch") is None
    for module in pkgutil.walk_packages(tileir.__path__[:1], "tileir."):
        if module.name.startswith("tileir.cutile.torch_stand_in.") and without_torch:
            continue
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in tileir.__all__:
        assert type(getattr(tileir, name)).__name__ != "module", name
