"""The presence of a field: version gates and flag bits, as one Kaitai condition.

In the tree a field is wrapped in `Since`, `Versioned` and `If`. Unwrapped, it is a few options,
each a range of versions, some bits that must be set, and a layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from construct import Construct, Renamed

from tileir.formats.enums import Enum
from tileir.formats.leaves import Bool, Fixed, FlagWord
from tileir.formats.nodes import Flag, If, Since, Unless, Versioned
from tileir.formats.version import V13_1, Version

from .names import identifier
from .primitives import among


class Bits(NamedTuple):
    """A condition on an earlier field: it has one of the bits of `mask`, or none if `clear`."""

    field: str
    mask: int
    clear: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One layout of a field: from version `since` to before `until`, if bits are set.

    `default` is the field's meaning before `since`.
    """

    since: Version
    until: Version | None
    bits: tuple[Bits, ...]
    node: Construct
    default: Any = None


def options(node: Construct, outer: Option | None = None) -> Iterator[Option]:
    """Yield the options of a field; none for versions that lack it."""
    outer = outer or Option(V13_1, None, (), node)
    since, until, bits, default = outer.since, outer.until, outer.bits, outer.default
    if isinstance(node, Since):
        since = max(since, node.since)
        yield from options(node.subcon, Option(since, until, bits, node, node.default))
    elif isinstance(node, Versioned):
        ends = [version for version, _ in node.layouts[1:]]
        for (version, layout), end in zip(node.layouts, [*ends, until], strict=True):
            if layout is not None:
                yield from options(layout, Option(max(since, version), end, bits, layout))
    elif isinstance(node, If):
        mask = (*bits, Bits(node.field, node.mask, isinstance(node, Unless)))
        yield from options(node.subcon, Option(since, until, mask, node, default))
    elif isinstance(node, Flag):
        mask = (*bits, Bits(node.field, node.mask))
        yield Option(since, until, mask, node, default)
    else:
        yield Option(since, until, bits, node, default)


def number(version: Version) -> int:
    """Return a version as `_root.version` has it: 1304 is 13.4."""
    return version.major * 100 + version.minor


def from_version(version: Version) -> str:
    """Return the condition that a file is of that version or a later one."""
    return "_root.preview" if version.preview else f"_root.version >= {number(version)}"


def before_version(version: Version) -> str:
    """Return the condition that a file is older than that version."""
    return "not _root.preview" if version.preview else f"_root.version < {number(version)}"


def condition(option: Option, record: Mapping[str, Renamed]) -> str:
    """Return the condition of an option, empty if it always holds; `record` has the fields before
    it.

    Versions come first: a flag word that the version lacks must not be tested.
    """
    since, tests = option.since, []
    for name, mask, clear in option.bits:
        (word,) = options(record[name].subcon)
        if word.until is None or option.until is None or word.until < option.until:
            since = max(since, word.since)
        tests.append(bit_is_set(name, mask, word.node, clear))
    terms = []
    if since > V13_1:
        terms.append(from_version(since))
    if option.until is not None:
        terms.append(before_version(option.until))
    return " and ".join(terms + tests)


def bit_is_set(name: str, mask: int, word: Construct, clear: bool) -> str:
    """Return the condition that the field `name`, laid out as `word`, has a bit of the mask.

    If `clear`, it is the condition that the field has none.
    """
    made = identifier(name)
    if isinstance(word, Bool):
        return f"{made} != 0"
    one_byte = isinstance(word, FlagWord) and isinstance(word.number, Fixed)
    return f"({made if one_byte else f'{made}.value'} & {mask}) {'==' if clear else '!='} 0"


def either(conditions: list[str]) -> str:
    """Return the condition that one of some conditions holds; empty if one always does."""
    if "" in conditions:
        return ""
    if len(conditions) == 1:
        return conditions[0]
    return " or ".join(f"({text})" for text in conditions)


def available(subject: str, since: Mapping[int, Version]) -> str:
    """Return the condition that the version has the number `subject`; `since` has all numbers."""
    terms = []
    for version in sorted(set(since.values())):
        numbers = [value for value, first in since.items() if first == version]
        test = among(subject, numbers)
        if version > V13_1:
            test = f"({from_version(version)} and {test})"
        terms.append(test)
    return " or ".join(terms)


def cases_of(enum: Enum) -> dict[int, Version]:
    """Return every case of an enum and the version that introduced it."""
    return {case.value: max(case.since, enum.since) for case in enum.cases}
