"""What may be changed in a file of a newer version, of which some may be unknown.

What is known of it may be edited in its place. What is opaque is written back as it was, and may
refer to anything by its index; so nothing is moved, removed or emptied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tileir.errors import BuildError
from tileir.formats.version import LATEST, Version
from tileir.messages.texts import display
from tileir.read.function import Function
from tileir.read.untouched import Module, same_globals, same_objects

if TYPE_CHECKING:
    from .sections import Writer


def refuse_newer(version: Version) -> None:
    """Raise BuildError for a version of which something may be unknown."""
    if version.open:
        raise BuildError(
            f"version {version} is newer than {LATEST}, and what it holds that is not known would "
            "be lost; with assume_version, the file is read as one of another version"
        )


def check_places(module: Module) -> None:
    """Raise BuildError if a function or a global of the file has been moved or removed."""
    before = module.original.functions
    same = same_objects(module.functions[: len(before)], before)
    for what, kept in (("functions", same), ("globals", same_globals(module))):
        if not kept:
            raise BuildError(
                f"the {what} of a file of version {module.original.version} keep their places: "
                f"what is unknown in it may refer to them"
            )


def refuse_opaque(function: Function) -> None:
    """Raise BuildError for a function that cannot be read to its end."""
    end = function.opaque
    if end is not None:
        raise BuildError(f"function {display(function.name)} cannot be changed: {end.message}")


def check_opaque(writer: Writer, function: Function, original: Function) -> None:
    """Raise BuildError if a function has been edited that cannot be read to its end."""
    if _forms(writer, function) != _forms(writer, original):
        refuse_opaque(original)


def _forms(writer: Writer, function: Function) -> list[Any]:
    """Return what can be compared of a function: its entry, and what is known of its body."""
    entry = [function.name, function.private, function.hints, function.argument_attributes]
    forms: list[Any] = [*map(repr, entry), str(function.type), function.location]
    block = function.body.block
    forms.append([str(value.type) for value in block.arguments])
    if block.ops:  # then all of the signature is known
        encoder = writer.encoder()
        records = writer.body(encoder, function.name, function.type, function.body)
        forms += [encoder.build(records), encoder.locations]
    return forms
