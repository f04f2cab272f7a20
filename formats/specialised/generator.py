"""The base of the three code generators: names of functions, dispatch tables, and lazy compilation.

A generator writes the source of the function of a node and of an arm of a variant. This class
decides when that is written, by which name others call it, and how it gets into a dispatch table.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any

from construct import Construct

from tileir.formats.leaves import Leaf
from tileir.formats.nodes import Alternative, Counted, Record, Sized, UntilEnd, Variant
from tileir.formats.table import Table
from tileir.formats.types import Extension
from tileir.formats.version import Version

from . import runtime
from .source import Functions, Lines


class Generator(ABC):
    """Functions for the nodes of one version; subclasses write their source."""

    purpose: str
    verb = "read"

    def __init__(self, version: Version, names: dict[str, Any]) -> None:
        self.version = version
        self.functions = Functions(f"tileir {version} {self.purpose}", names)
        self._plain: dict[int, dict[int, int]] = {}
        self._tables: dict[int, object] = {}
        self._nodes: dict[int, Construct] = {}

    @abstractmethod
    def write_function(self, line: Lines, name: str, node: Construct) -> None:
        """Write the source of the function of a node."""

    @abstractmethod
    def write_arm(self, line: Lines, name: str, variant: Variant, arm: Alternative) -> None:
        """Write the source of the function of an arm."""

    def node(self, node: Construct) -> Construct:
        """Return a Construct that does the same as `node`, with generated functions."""
        if id(node) not in self._nodes:
            self._nodes[id(node)] = self._specialised(node)
        return self._nodes[id(node)]

    def _specialised(self, node: Construct) -> Construct:
        if isinstance(node, Leaf):
            return node
        if isinstance(node, Table | Sized | Extension):
            made = copy.copy(node)
            made.subcon = self.node(node.subcon)
            return made
        if isinstance(node, Counted | UntilEnd | Variant | Record):
            name = self.function(node)
            return runtime.CompiledNode(lambda *given: self.functions.names[name](*given))
        return node

    def function(self, node: Construct) -> str:
        """Return the name of the function of a node."""
        stem = getattr(node, "what", type(node).__name__).lower()

        def write(line: Lines, name: str) -> None:
            self.write_function(line, name, node)

        return self.functions.function(f"{self.verb}_{stem}", id(node), write)

    def arms(self, variant: Variant) -> str:
        """Return the name of the dispatch table of a variant: selector -> function."""
        with self.functions.lock:
            if id(variant) not in self._tables:
                table = self._tables[id(variant)] = self.empty_table(variant)
                for arm in variant.arms.values():
                    if arm.since <= self.version:
                        self._add_arm(table, variant, arm)
            return self.functions.constant(f"{variant.what}s".upper(), self._tables[id(variant)])

    def _add_arm(self, table, variant: Variant, arm: Alternative) -> None:
        selector = self.selector(variant, arm)

        def write(line: Lines, name: str) -> None:
            self.write_arm(line, name, variant, arm)

        def into(function) -> None:
            table[selector] = function

        into(self.functions.names[self.functions.function(arm.name, id(arm), write, into)])

    def empty_table(self, variant: Variant):
        """Return the dispatch table of a variant without arms."""
        return {}

    def selector(self, variant: Variant, arm: Alternative):
        """Return the key of an arm in the dispatch table."""
        return arm.tag

    def plain_bytes(self, leaf: Leaf) -> dict[int, int]:
        """Return the value of each single byte that a leaf reads without error or warning."""
        if id(leaf) not in self._plain:
            self._plain[id(leaf)] = runtime.plain_bytes(leaf, self.version)
        return self._plain[id(leaf)]

    def default(self, value: object) -> str:
        """Return the expression for the default of a field that the version lacks."""
        if value is None or isinstance(value, int):
            return repr(value)
        return self.functions.constant("DEFAULT", value)
