"""Which versions of the format can hold a module: what older ones lack, as conversion tells."""

from __future__ import annotations

from dataclasses import dataclass

from tileir.bytecode import Bytecode
from tileir.errors import BuildError, Feature, VersionError
from tileir.formats.version import SUPPORTED, Version


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that can hold a module.

    lowest    the lowest of them; None for a file of a newer version, of which nobody knows
    features  what the module uses and the first version of all lacks, each with its `since`
    """

    lowest: Version | None
    features: tuple[Feature, ...]


def versions_of(bytecode: Bytecode) -> Versions:
    """Return which versions can hold a module; BytecodeError if it cannot be read to the end."""
    if bytecode.newer:
        return Versions(None, ())
    first: tuple[Feature, ...] | None = None
    for version in sorted(SUPPORTED):
        if version >= bytecode.version:
            break
        if first and any(feature.since > version for feature in first):
            continue
        try:
            bytecode.to_version(version)
        except VersionError as error:
            first = first or error.features
            continue
        except BuildError:  # what is odd in the file, that version cannot keep
            continue
        return Versions(version, first or ())
    return Versions(bytecode.version, first or ())
