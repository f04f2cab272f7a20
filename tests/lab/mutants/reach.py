"""What the coverage of a suite says of a mutant: which tests run its line, and what they cost."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .mutation import LAYERS, Mutation

PATIENCE = 20.0
"""Seconds that a test may take in any case."""

FACTOR = 10.0
"""How much longer than without a fault it may take besides."""


@dataclass
class Reach:
    """The tests that a mutant can make fail."""

    by_line: set[str] = field(default_factory=set)
    """Those that run one of its lines."""
    by_module: set[str] = field(default_factory=set)
    """Others that run something of its module, or of modules that import it."""
    at_import: bool = False
    """Whether an import, or the collection of tests, runs it too."""
    words: frozenset[str] = frozenset()
    """Names and words of the line."""

    @property
    def all(self) -> set[str]:
        """Those that have to be tried before it can be said that none notices."""
        return self.by_line | self.by_module if self.at_import else self.by_line


class Suite:
    """All there is to know of a suite: its tests, and what they reach of some mutants."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        self.collecting: dict[str, float] = {}
        self.failing: set[str] = set()
        self._root = root
        self._parts = sorted(path.parent for path in folder.glob("part*/tests.json"))
        for part in self._parts:
            summary = json.loads((part / "tests.json").read_text())
            self.collecting |= summary["modules"]
            for name, (seconds, outcome) in summary["tests"].items():
                self.seconds[name] = seconds
                if outcome == "failed":
                    self.failing.add(name)

    def limit(self, name: str) -> float:
        """How many seconds a test may take with a fault in the product."""
        return PATIENCE + FACTOR * self.seconds.get(name, 1.0)

    def cost(self, names: Iterable[str]) -> float:
        """Seconds of these tests together."""
        return sum(self.seconds[name] for name in names)

    def learn(self, took: dict[str, float]) -> None:
        """Take note of tests that are dearer than it seemed, since others had prepared for them."""
        for name, seconds in took.items():
            if seconds > 0.2 + 2 * self.seconds.get(name, 0.0):
                self.seconds[name] = seconds

    def reach(self, mutations: Iterable[Mutation]) -> dict[Mutation, Reach]:
        """What tests run of each of the mutants."""
        wanted: dict[str, list[Mutation]] = defaultdict(list)
        for mutation in mutations:
            wanted[mutation.path].append(mutation)
        users = importers(self._root)
        lines: dict[Mutation, set[str]] = {m: set() for ms in wanted.values() for m in ms}
        files: dict[str, set[str]] = defaultdict(set)
        for part in self._parts:
            for data in [part / "tests", *part.glob("program.*")]:
                self._read(data, wanted, lines, files)
        found = {}
        for path, mutants in wanted.items():
            near, around, seen = set(files[path]) - {""}, {path}, {path}
            while not near and around:
                around = set().union(*(users[each] for each in around)) - seen
                near = set().union(*(files[each] for each in around)) - {""}
                seen |= around
            for mutation in mutants:
                direct = lines[mutation]
                at_import = "" in direct or not mutation.in_function
                if at_import:
                    near |= self._of_test_modules(users[path] | {path}, users)
                known = self.seconds.keys() - self.failing
                found[mutation] = Reach(
                    direct & known, (near - direct) & known, at_import, _words(mutation)
                )
        return found

    def _of_test_modules(self, paths: set[str], users: dict[str, set[str]]) -> set[str]:
        """Tests of the modules that import one of `paths`: they may look at its tables alone."""
        modules = {user for path in paths for user in users[path] if user.startswith("tests/")}
        return {name for name in self.seconds if name.partition("::")[0] in modules}

    def _read(
        self,
        data: Path,
        wanted: dict[str, list[Mutation]],
        lines: dict[Mutation, set[str]],
        files: dict[str, set[str]],
    ) -> None:
        with sqlite3.connect(f"file:{data}?mode=ro", uri=True) as base:
            contexts = dict(base.execute("select id, context from context"))
            for number, name in base.execute("select id, path from file").fetchall():
                path = _relative(name)
                rows = base.execute(
                    "select context_id, numbits from line_bits where file_id = ?", (number,)
                )
                for context, bits in rows:
                    test = contexts[context]
                    files[path].add(test)
                    for mutation in wanted.get(path, ()):
                        if any(
                            line >> 3 < len(bits) and bits[line >> 3] >> (line & 7) & 1
                            for line in range(mutation.line, mutation.end_line + 1)
                        ):
                            lines[mutation].add(test)

    def ordered(self, names: set[str], words: frozenset[str]) -> list[str]:
        """Cheapest first; of many cases of one test, later ones count as dearer.

        A test whose name has a word of the mutated line is more likely to be about it.
        """
        cases: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for name in names - self.failing:
            about = bool(words & set(re.findall(r"\w+", name.partition("::")[2])))
            cost = self.seconds[name] * (0.1 if about else 1.0) - (0.5 if about else 0.0)
            cases[name.partition("[")[0]].append((cost, name))
        ranked = [
            (cost + 0.02 * rank, name)
            for each in cases.values()
            for rank, (cost, name) in enumerate(sorted(each))
        ]
        return [name for _, name in sorted(ranked)]


def _words(mutation: Mutation) -> frozenset[str]:
    found = re.findall(r"\w{4,}", mutation.original)
    return frozenset(found) - {"self", "None", "True", "False"}


def _relative(path: str) -> str:
    """The part below the root of the tree: the layers are not nested anywhere else."""
    parts = Path(path).parts
    start = max(parts.index(layer) for layer in LAYERS if layer in parts)
    return "/".join(parts[start:])


def importers(root: Path) -> dict[str, set[str]]:
    """For each file of the product, the files and tests that import something of it."""
    found: dict[str, set[str]] = defaultdict(set)
    for layer in (*LAYERS, "tests"):
        for path in (root / layer).rglob("*.py"):
            user = path.relative_to(root)
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    for target in _targets(root, user, node):
                        found[target].add(user.as_posix())
    return found


def _targets(root: Path, user: Path, node: ast.ImportFrom) -> Iterable[str]:
    if node.level:
        folder = user.parents[node.level - 1]
    elif (node.module or "").startswith("tileir"):
        folder = Path()
    else:
        return
    names = (node.module or "").split(".") if node.module else []
    if folder == Path() and names[:2] in (["tileir", "formats"], ["tileir", "codegen"]):
        names = names[1:]
    base = folder.joinpath(*names)
    candidates = [base / alias.name for alias in node.names] + [base]
    for candidate in candidates:
        for path in (candidate.with_suffix(".py"), candidate / "__init__.py"):
            if (root / path).exists():
                yield path.as_posix()
