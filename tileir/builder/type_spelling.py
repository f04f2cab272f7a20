"""Types spelled as text for callers of the builder: ``"tile<4x8xf32>"``, short ``"4x8xf32"``."""

from __future__ import annotations

import re

from tileir.errors import BuildError
from tileir.formats.enums import POINTER_ATTRIBUTE
from tileir.formats.version import LATEST
from tileir.ir.type_kinds import SCALARS
from tileir.types import Element, Pointer, Scalar, Tile, Token, Type
from tileir.write.type_table import OutputTypes

TILE = re.compile(r"((?:\d{1,18}x)*)(.*)", re.DOTALL)
POINTER = re.compile(r"ptr<(\w+)(?:, ?<?(\w+)>?)?>")


def parse_type(text: str) -> Type:
    """Return the type of that spelling: a tile, a pointer, a scalar or a token.

    ``tile<`` and ``>`` may be left out, except for rank 0: ``"f32"`` is the scalar itself. Views
    are made with the classes of `tileir.types`. BuildError for anything else.
    """
    if text == "token":
        return Token()
    framed = text.startswith("tile<") and text.endswith(">")
    spelled = text[5:-1] if framed else text
    match = TILE.fullmatch(spelled)
    sizes, element = match.groups() if match else ("", spelled)
    shape = tuple(int(size) for size in sizes.split("x")[:-1])
    made = _element(element, text)
    return Tile(made, shape) if framed or shape else made


def _element(text: str, whole: str) -> Element:
    if text in SCALARS:
        return Scalar(text)
    pointer = POINTER.fullmatch(text)
    if pointer and pointer[1] in SCALARS and pointer[2] in (None, *POINTER_ATTRIBUTE.by_name):
        return Pointer(Scalar(pointer[1]), pointer[2])
    raise BuildError(f"{whole!r} is no type; say tile<16xf32>, 16xf32, f32, ptr<f32> or token")


def value_type(type: Type | str) -> Type:
    """Return the type of a value: a scalar or pointer alone stands for a tile of rank 0.

    BuildError if it is not a type, or breaks a rule of types. The version is checked elsewhere.
    """
    made = legal_type(type)
    return Tile(made) if isinstance(made, Scalar | Pointer) else made


def legal_type(type: Type | str) -> Type:
    """Return a type, or the one that a text spells. BuildError if it breaks a rule of types."""
    made = parse_type(type) if isinstance(type, str) else type
    OutputTypes(LATEST).index(made)
    return made
