"""What cuTile does not document and we use or change: a row each, looked for in its source.

A release that nobody has tried is tried if it has all of them, with the parameters that we rely on.
They are looked for before anything of cuTile is imported, so that nothing is changed by halves.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tileir.formats.forks import not_forking

ANY = "*"
"""A parameter of any name."""


class Hook(NamedTuple):
    """A name in a module of cuTile, or in a class there.

    `parameters` are the first ones that it takes, if it is called. Those behind them must have
    defaults, but for so many `more` as are given where they are taken. An `optional` hook need not
    be there.
    """

    module: str
    name: str
    parameters: tuple[str, ...] | None = None
    more: int = 0
    optional: bool = False

    def __str__(self) -> str:
        return f"cuda.tile{self.module}.{self.name}"


LOADER = "._load_libcuda"
LAUNCH = ("stream", "grid", "kernel", ANY)
HOOKS = (
    Hook("", "launch"),
    Hook("._cext", "launch", LAUNCH),
    Hook("._cext", "_benchmark", LAUNCH),
    Hook("._cext", "_export_ipc_benchmark_payload", LAUNCH),
    Hook("._cext", "default_tile_context"),
    Hook("._context", "TileContextConfig.cache_dir"),
    Hook(LOADER, "cuGetProcAddress_v2_ptrptr"),
    Hook("._compile", "_find_compiler_bin", ()),
    Hook("._compile", "_CompilerBinary.path"),
    Hook("._compile", "_CompilerBinary.run", ("self", "args", "flags", "timeout_sec")),
    Hook("._compile", "_bytecode_to_mlir_text", ("bytecode",), optional=True),
    Hook("._compile", "Loc"),
    Hook("._compile", "TileCompilerError"),
    Hook("._compile", "TileCompilerExecutionError"),
    Hook("._exception", "Loc.unknown", ("cls",)),
    Hook("._exception", "TileCompilerExecutionError.__init__", ("self", *[ANY] * 4), more=1),
    Hook("._execution", "kernel._pyfunc", ("self",)),
    Hook("._execution", "kernel.replace_hints", ("self",)),
    Hook(".tune", "exhaustive_search"),
    Hook(
        ".tune._tune",
        "exhaustive_search",
        ("search_space", "stream", "grid_fn", "kernel", "args_fn", "hints_fn"),
    ),
    Hook(".tune._tune", "_benchmark"),
    Hook(".tune._tune", "benchmark_with_timeout"),
    *(
        Hook(".tune._tune", f"Measurement.{field}")
        for field in ("config", "mean_us", "num_samples", "error_margin_us")
    ),
    *(Hook(".tune._tune", f"TuningResult.{field}") for field in ("best", "successes", "failures")),
    Hook(".tune._tune_utils", "_benchmark"),
    Hook(".tune._tune_utils", "_export_ipc_benchmark_payload"),
    Hook(".tune._tune_utils", "_timed_benchmark_runner"),
    Hook(".tune._tune_utils", "_TimedBenchmarkRunner.run", ("self", "payload", "timeout_sec")),
    Hook(".tune._tune_utils", "_TimedBenchmarkRunner.terminate", ("self", "graceful_shutdown")),
    Hook(".tune._tune_utils", "TileLaunchTimeoutError"),
    Hook(
        ".tune._tune_utils",
        "benchmark_with_timeout",
        ("stream", "grid", "kernel", "pyargs", "timeout_sec"),
        more=1,
    ),
)
"""All of them, for the CPU and for a GPU."""


def package() -> Path | None:
    """Return the folder of the package `cuda.tile`, without importing it; None without one."""
    spec = find_spec("cuda")
    for folder in spec.submodule_search_locations or () if spec else ():
        if Path(folder, "tile", "__init__.py").is_file():
            return Path(folder, "tile")
    return None


def problems(folder: Path) -> list[str]:
    """Return what is missing or different in the release of cuTile in a folder, as phrases."""
    sources = {hook.module: _names(folder, hook.module) for hook in HOOKS}
    found = [f"there is no cuda.tile{name}" for name, known in sources.items() if known is None]
    for hook in HOOKS:
        known = sources[hook.module]
        problem = None if known is None else _problem(hook, known)
        if problem:
            found.append(problem)
    return found


@contextmanager
def all_or_none() -> Iterator[None]:
    """Give cuTile's modules their names back if not all of the changes made inside can be made."""
    imported = sorted({hook.module for hook in HOOKS} - {LOADER})  # which loads the real driver
    with not_forking:
        modules = [import_module(f"cuda.tile{name}") for name in imported]
        config = import_module("cuda.tile._cext").default_tile_context.config
    before = [(vars(module), dict(vars(module))) for module in modules]
    before.append((sys.modules, dict(sys.modules)))
    cache_dir = config.cache_dir
    try:
        yield
    except BaseException:
        for names, kept in before:
            names.clear()
            names.update(kept)
        config.cache_dir = cache_dir
        raise


class _Binary:
    """An extension module without a stub, of which only the names in it can be told."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()

    def get(self, name: str) -> ast.AST | str | None:
        return name if name.encode() + b"\0" in self.data else None


_Names = dict[str, ast.AST | str]


@cache
def _names(folder: Path, module: str) -> _Names | _Binary | None:
    """Return what a module defines or imports, by name; None if there is no such module."""
    path = folder.joinpath(*module.split(".")[1:]) if module else folder
    for source in (path.with_suffix(".py"), path.with_suffix(".pyi"), path / "__init__.py"):
        if source.is_file():
            return _defined(ast.parse(source.read_bytes()).body)
    binaries = sorted(path.parent.glob(f"{path.name}.*.so")) or sorted(
        path.parent.glob(f"{path.name}.*.pyd")
    )
    return _Binary(binaries[0]) if binaries else None


def _defined(body: list[ast.stmt]) -> _Names:
    """Return the names that statements bind, those in branches and of methods included."""
    names: _Names = {}
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names[statement.name] = statement
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    names[alias.asname or alias.name] = alias.name
            case ast.Assign():
                for target in statement.targets:
                    names |= {n.id: n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names[name] = name
            case ast.If() | ast.Try() | ast.With():
                names |= _defined([*statement.body, *getattr(statement, "orelse", ())])
    return names


def _problem(hook: Hook, names: _Names | _Binary) -> str | None:
    """Return why a module with those names does not have a hook as it must be."""
    first, _, inner = hook.name.partition(".")
    node = names.get(first)
    if inner and isinstance(node, ast.ClassDef):
        node = _member(node, inner, names)
    if node is None:
        return None if hook.optional else f"there is no {hook}"
    if hook.parameters is None or not isinstance(node, ast.FunctionDef):
        return None
    given = [*node.args.posonlyargs, *node.args.args]
    taken = [each.arg for each in given]
    wanted = hook.parameters
    same = len(taken) >= len(wanted) and all(
        name in (ANY, own) for name, own in zip(wanted, taken, strict=False)
    )
    without_default = len(given) - len(node.args.defaults)
    demanded = [
        each.arg
        for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is None
    ]
    if same and without_default <= len(wanted) + hook.more and not demanded:
        return None
    return f"{hook} takes ({', '.join([*taken, *demanded])})"


def _member(owner: ast.ClassDef, name: str, names: _Names | _Binary) -> ast.AST | str | None:
    """Return what a class of a module has under a name, or one that it inherits from there."""
    own = _defined(owner.body).get(name)
    for base in owner.bases:
        inherited = names.get(base.id) if own is None and isinstance(base, ast.Name) else None
        if isinstance(inherited, ast.ClassDef):
            own = _member(inherited, name, names)
    return own
