"""Replace prints of tiles by prints from shared memory, where one thread finds all elements."""

from __future__ import annotations

from tileir.codegen.nvptx.emit.driver_calls import MOST_ARGUMENTS
from tileir.ir import Op
from tileir.types import Token
from tileir.verifier.rules.miscellaneous import CONVERSION

from .expand_slices import add, row_major, stored_parts


def expand_print(op: Op) -> None:
    """Replace print_tko, unless it prints single elements by one call.

    What one call can take is printed by one, so that no other output comes in between. Otherwise
    the texts and the tiles are printed one after the other.
    """
    values = op.operands["args"]
    if sum(value.type.size for value in values) > MOST_ARGUMENTS:
        _one_by_one(op)
    elif any(value.type.size > 1 for value in values):
        places = [
            add(op, "shared_alloc", {}, [row_major(value.type)[0]]).result
            if value.type.size > 1
            else value
            for value in values
        ]
        for value, place in zip(values, places, strict=True):
            if place is not value:
                add(op, "store_shared", {"value": value, "destination": place})
        op.operands["args"] = tuple(places)


def _one_by_one(op: Op) -> None:
    token, rest = op.operands["token"], iter(op.operands["args"])
    for text in _parts(op.attributes["str"]):
        value = next(rest) if text.startswith("%") and not text.startswith("%%") else None
        if value is None or value.type.size == 1:
            operands = {"args": () if value is None else (value,), "token": token}
            token = add(op, "print_tko", operands, [Token()], {"str": text}).result
            continue
        for place, part in stored_parts(op, value):
            attributes = {"conversion": text, "part": part}
            add(op, "print_elements", {"source": place}, (), attributes)
    if token is None:
        token = add(op, "make_token", {}, [Token()]).result
    op.replace_with(token)


def _parts(text: str) -> list[str]:
    """Split a format into conversions and the texts between them, as they are spelled."""
    parts, end = [""], 0
    for match in CONVERSION.finditer(text):
        if match[1]:
            continue
        parts += [text[end : match.start()], match[0]]
        end = match.end()
    return [part for part in (*parts, text[end:]) if part]
