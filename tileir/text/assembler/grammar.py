"""How a dialect is read, apart from what its rows say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tileir.formats.ops.spec import Kind, Op, Row
from tileir.ir import Op as Made
from tileir.ir import Value
from tileir.ir.dialect import Dialect
from tileir.messages.other_dialects import MODULE

from .literals.types import FORMS, Definition, Form
from .parsed import ParsedOp
from .scope import BodyScope

OpReader = Callable[[BodyScope, ParsedOp], tuple[Made, list[Value]]]
"""Reads everything after the mnemonic; returns the op, and its results that the version lacks."""


@dataclass(eq=False)
class Grammar:
    """What the assembler knows of a dialect.

    dialect      its rows and types
    readers      mnemonic of an op with a syntax of its own -> the function that reads it
    attributes   kind of an attribute slot -> the function that reads such a value
    forms        name of a type -> the function that reads the contents of its angle brackets
    definitions  first word of what an alias may stand for -> the function that reads the rest
    module       the word that begins a module
    rows         mnemonic, older ones included -> the row of an op that stands in bodies
    """

    dialect: Dialect
    readers: Mapping[str, OpReader]
    attributes: Mapping[Kind, Callable[[BodyScope], object]] = field(default_factory=dict)
    forms: Mapping[str, Form] = field(default_factory=lambda: FORMS)
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    module: str = "module"
    rows: Mapping[str, Row] = field(init=False)

    def __post_init__(self) -> None:
        rows: dict[str, Row] = {}
        for name, row in self.dialect.rows.items():
            if not isinstance(row, Op):
                rows[name] = row
            elif row.in_body:
                rows.update(dict.fromkeys((name, *row.aliases), row))
        self.rows = rows

    @property
    def of_blocks(self) -> bool:
        """Whether it is the grammar of block IR."""
        return self.module == MODULE
