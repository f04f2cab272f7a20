"""The module that a command works on: bytecode, or a text that is assembled first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import tileir
from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import UsageError, called
from tileir.command_line.files import open_input
from tileir.errors import UnsupportedError
from tileir.formats.container import MAGIC
from tileir.formats.version import PREVIEW, SUPPORTED, Version
from tileir.messages.texts import decode_text, display
from tileir.messages.wording import did_you_mean

from .colour import escaped

_NO_TEXT = set(range(32)) - set(b"\t\n\f\r")
"""Bytes that no text contains."""


def add_assume_version(parser: argparse.ArgumentParser) -> None:
    """Add the option by which a file is read as one of another version than its header states."""
    parser.add_argument(
        "--assume-version", metavar="V", help="read bytecode by this version, whatever it states"
    )


def version_given(text: str | None, option: str = "--assume-version") -> Version | None:
    """Return the version that an option names; None without one.

    UsageError for what is no version, UnsupportedError for one that is not known.
    """
    if text is None:
        return None
    try:
        version = Version.of(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
    if version not in (*SUPPORTED, PREVIEW):
        raise UnsupportedError(f"version {version} is not one of {SUPPORTED[0]} to {SUPPORTED[-1]}")
    return version


def open_module(path: str, assumed: Version | None = None) -> Bytecode:
    """Return the module in a file, or on standard input for ``-``.

    A warning on standard error names launch attributes of a text that have no effect. Bytecode is
    read by the `assumed` version, if one is given.
    """
    return module_of(open_input(path), path, assumed)


def module_of(data: bytes, path: str, assumed: Version | None = None) -> Bytecode:
    """Return the module that these bytes of a file are: see `open_module`."""
    bytecode = module_in(data, called(path), assumed)
    for warning in ignored_attributes(bytecode):
        print(escaped(warning), file=sys.stderr)
    return bytecode


def module_in(data: bytes, name: str, assumed: Version | None = None) -> Bytecode:
    """Return the module in the contents of a file, which messages call `name`.

    What has control characters is not a text, even if it does not begin as bytecode does, nor is
    what is empty. Bytecode is read by the `assumed` version, if one is given.
    """
    if not data or data.startswith(MAGIC[:1]) or not _NO_TEXT.isdisjoint(data):
        return Bytecode.parse(data, assume_version=assumed)
    return tileir.assemble(decode_text(data), name=name)


def bytecode_output(output: str | None, as_json: bool) -> str | None:
    """Return the path of the file to write bytecode to; None for standard output.

    UsageError where that is a terminal, or has the JSON that is asked for.
    """
    if output not in (None, "-"):
        return output
    if as_json:
        raise UsageError("-o is needed with --json, which has standard output for itself")
    if sys.stdout.isatty():
        raise UsageError("bytecode is nothing for a terminal; -o names a file")
    return None


def warn_of_lost_attributes(bytecode: Bytecode, name: str) -> None:
    """Warn on standard error of launch attributes of the text `name`: bytecode cannot hold them."""
    lost = ", ".join(bytecode.launch_attributes.spelled())
    if lost:
        print(escaped(f"{name}: warning: bytecode cannot hold {lost}"), file=sys.stderr)


def check_all_read(bytecode: Bytecode) -> None:
    """Raise UnsupportedError if the functions of a newer version could not all be read."""
    if bytecode.newer and bytecode.unknown:
        raise UnsupportedError(
            f"version {bytecode.version} is newer than {SUPPORTED[-1]}, and not all of it is known:"
            f" {bytecode.unknown[0].message}"
        )


def check_entry(bytecode: Bytecode, name: str) -> None:
    """Raise UsageError if the module has no entry of that name.

    UnsupportedError if the entries of a newer version could not all be read.
    """
    names = [function.name for function in bytecode.functions]
    if name not in names:
        check_all_read(bytecode)
    if not names:
        raise UsageError("the file has no kernel")
    if name not in names:
        known = ", ".join(map(display, names))
        raise UsageError(f"there is no entry {name!r}; the file has {known}")


def ignored_attributes(bytecode: Bytecode) -> Iterator[str]:
    """Yield a warning for each launch attribute of a text that no target uses: a slip, perhaps."""
    launch = bytecode.launch_attributes
    if not launch:
        return
    from tileir.codegen.launch_terms import ATTRIBUTES
    from tileir.codegen.targets import CAPABILITY, SPELLED

    owners = [("", launch.module, (*ATTRIBUTES, CAPABILITY, SPELLED))]
    owners += [(entry, own, ATTRIBUTES) for entry, own in launch.entries.items()]
    for entry, attributes, known in owners:
        owner = f"entry {entry}" if entry else "the module"
        for attribute in attributes:
            if bytecode.text and attribute not in known:
                position = bytecode.text.attribute(attribute, entry)
                text = f"{attribute} of {owner} is ignored{did_you_mean(attribute, known)}"
                yield f"{position}: warning: {text}"
