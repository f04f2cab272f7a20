"""What holds for every fixture: one small function a property, all of them asked in one walk.

A property stands with the other tests of its subject and is marked there::

    @every_fixture
    def the_text_is_the_one_kept(fixture: Fixture) -> None: ...

`tests/test_every_fixture.py` reads a file once, asks for each property and names those that fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tests.corpus import VALID, name_of
from tests.formats.schema.mirrored import traced
from tileir import Bytecode, disassemble
from tileir.explain.op_tree import op_tree
from tileir.ir import Op


class Fixture:
    """A fixture, and what several properties want to know of it, made once.

    `bytecode`, `text`, `leaves` and `ops` belong to all properties: whoever changes a module or
    looks at what reading does to it takes a new one from `parse`.
    """

    tool: Callable
    """Runs one of NVIDIA's tools; for properties that ask them, as `update` and `folder` are."""
    update: bool
    """Whether kept files are to be rewritten."""
    folder: Path
    """Where files may be written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = name_of(path)
        self.data = path.read_bytes()

    def parse(self) -> Bytecode:
        """The file read anew."""
        return Bytecode.parse(self.data)

    @cached_property
    def bytecode(self) -> Bytecode:
        """The file, read."""
        return self.parse()

    @cached_property
    def ops(self) -> list[Op]:
        """The ops of all functions, outer ones first."""
        return [op for function in self.bytecode.functions for op in function.walk()]

    @cached_property
    def leaves(self) -> dict[str, object]:
        """The leaves of the wire, by path."""
        return traced(self.data)

    @cached_property
    def tree(self) -> dict:
        """The JSON of the ops."""
        return json.loads(op_tree(self.bytecode), parse_constant=no_constant)

    @cached_property
    def texts(self) -> tuple[str, str]:
        """What is printed without locations, and with them."""
        return disassemble(self.bytecode), disassemble(self.bytecode, debug=True)


def no_constant(name: str) -> None:
    """For `json.loads`: NaN and Infinity are no JSON."""
    raise AssertionError(f"{name} is not JSON")


class Property(NamedTuple):
    """A function that raises AssertionError for a fixture that lacks the property.

    files   the fixtures it is asked of
    oracle  whether it asks NVIDIA's tools
    """

    ask: Callable[[Fixture], None]
    files: Collection[Path]
    oracle: bool

    @property
    def name(self) -> str:
        """The function's name, in words."""
        return self.ask.__name__.replace("_", " ")


PROPERTIES: list[Property] = []
"""In the order in which the modules of `tests/test_every_fixture.py` are imported."""


def every_fixture(
    ask: Callable[[Fixture], None] | None = None,
    /,
    *,
    files: Collection[Path] = VALID,
    oracle: bool = False,
) -> Callable:
    """Mark a function as a property of every fixture, or of those in `files`."""

    def mark(ask: Callable[[Fixture], None]) -> Callable[[Fixture], None]:
        PROPERTIES.append(Property(ask, frozenset(files), oracle))
        return ask

    return mark(ask) if ask else mark
