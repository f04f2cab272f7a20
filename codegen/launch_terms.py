"""The terms of a GPU kernel's launch: one row a term, with the sources that may give its value.

There are four sources; the first one that has a value counts:

1. options of `compile`, which the command line has under the same names
2. attributes of the text a module was made from: an entry's own, then those of the module
3. hints in bytecode for the architecture compiled for, then those for ``default``
4. the compiler

Options and attributes are promises to the launcher, so a bad value is an error. Hints are advice: a
bad value is ignored (`tileir.verify` warns of it), and an option of None lifts a hint.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from tileir.attributes import IntegerAttribute, spell
from tileir.errors import UnsupportedError
from tileir.messages.wording import did_you_mean

MOST_WARPS = 32
MOST_BLOCKS = 16
"""The most blocks of a cluster; more than 8 do not run on every GPU that has clusters."""
REGISTERS = (24, 255)
"""The lowest and highest limit of a thread's registers; ptxas ignores other limits."""

Read = Callable[[object], Any]
"""Converts a given value to that of a term; ValueError with what it has to be."""


@dataclass(frozen=True, slots=True)
class Name:
    """A term as one source spells it: its name there, and how its value is read."""

    name: str
    read: Read
    help: str = ""
    """For an option: its help on the command line."""
    example: str = "N"


@dataclass(frozen=True, slots=True)
class Term:
    """One row: the term, LLVM's attribute for its PTX directive, its names in the sources."""

    name: str
    llvm: str
    options: tuple[Name, ...]
    attributes: tuple[Name, ...]
    hint: Name | None = None
    default: Any = None
    """The value if no source has one; None where the compiler is free."""


def _number(low: int, high: int) -> Read:
    def read(value: object) -> int:
        number = _whole(value)
        if number is not None and low <= number <= high:
            return number
        raise ValueError(f"a number from {low} to {high}")

    return read


def _power(most: int) -> Read:
    def read(value: object) -> int:
        number = _whole(value) or 0
        if 0 < number <= most and not number & (number - 1):
            return number
        raise ValueError(f"a power of two from 1 to {most}")

    return read


def _threads(value: object) -> int:
    """Return warps, given the threads of a block along x, or along x, y and z."""
    numbers = value if isinstance(value, list | tuple) and value else [value]
    first, *others = map(_whole, numbers)
    powers = {32 << k: 1 << k for k in range(MOST_WARPS.bit_length())}
    if first in powers and len(others) < 3 and all(n == 1 for n in others):
        return powers[first]
    raise ValueError(f"32 times a power of two, up to {32 * MOST_WARPS}, along x")


def _count(value: object) -> tuple[int, int, int]:
    return _RANK(value), 1, 1


def _extents(value: object) -> tuple[int, int, int]:
    extents = tuple(map(_whole, value)) if isinstance(value, list | tuple) else ()
    x, y, z = (n or 0 for n in extents) if len(extents) == 3 else (0, 0, 0)
    if x > 0 and y > 0 and z > 0 and prod((x, y, z)) <= MOST_BLOCKS:
        return x, y, z
    raise ValueError(f"three numbers, together at most {MOST_BLOCKS} blocks")


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _whole(value: Any) -> int | None:
    """Return an integer of Python or another library as an int; None for anything else."""
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None


_NUM_WARPS, _MAXNREG, _OCCUPANCY = _power(MOST_WARPS), _number(*REGISTERS), _number(1, 32)
_RANK = _number(1, MOST_BLOCKS)

TERMS = (
    Term(
        "num_warps", "nvvm.reqntid",
        (Name("num_warps", _NUM_WARPS, "warps of a block: 1, 2, 4, ... 32"),),
        (Name("tt.num_warps", _NUM_WARPS), Name("nvvm.reqntid", _threads)),
        Name("num_worker_warps_per_cta", _NUM_WARPS),
    ),
    Term(
        "cluster_dim", "nvvm.cluster_dim",
        (
            Name("cluster_dim", _extents, "blocks of a cluster along x, y and z, from sm_90 on",
                 "X,Y,Z"),
            Name("num_ctas", _count, "blocks of a cluster along x; short for --cluster-dim N,1,1"),
        ),
        (
            Name("tt.cluster_dim", _extents), Name("tt.cluster_size", _extents),
            Name("nvvm.cluster_dim", _extents), Name("tt.num_ctas", _count),
        ),
        # Followed where the blocks of a cluster work together.
        Name("num_cta_in_cga", _count),
        default=(1, 1, 1),
    ),
    Term(
        "maxnreg", "nvvm.maxnreg",
        (Name("maxnreg", _MAXNREG, "registers of a thread at most: 24 to 255"),),
        (Name("nvvm.maxnreg", _MAXNREG),),
    ),
    Term(
        "minnctapersm", "nvvm.minctasm",
        (Name("minnctapersm", _OCCUPANCY, "blocks that an SM holds at the same time at least:"
              " 1 to 32"),),
        (Name("nvvm.minctasm", _OCCUPANCY), Name("nv_tileaa.occupancy", _OCCUPANCY)),
        Name("occupancy", _OCCUPANCY),
        # Without a least number of blocks, ptxas saves registers for more, even by spilling.
        default=1,
    ),
    Term(
        "maxclusterrank", "nvvm.maxclusterrank",
        (Name("maxclusterrank", _RANK, "blocks of a cluster at most, 1 to 16, where the launch"
              " says how many; from sm_90 on"),),
        (Name("nvvm.maxclusterrank", _RANK),),
    ),
    Term(
        "blocksareclusters", "nvvm.blocksareclusters",
        (Name("blocksareclusters", _flag, "the launch grid counts clusters, not blocks; from"
              " sm_90 on", ""),),
        (Name("nvvm.blocksareclusters", _flag),),
        default=False,
    ),
)  # fmt: skip
OPTIONS = tuple(option for term in TERMS for option in term.options)
ATTRIBUTES = tuple(attribute.name for term in TERMS for attribute in term.attributes)
DEFAULTS = {term.name: term.default for term in TERMS if term.default is not None}


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of a term and its source: option, attribute or hint, with its name.

    A hint is followed as far as possible: if the value is not what it `asked` for, `why` says why.
    """

    value: Any
    by: str
    asked: Any = None
    why: str = ""


def said(
    term: Term, who: str, names: Iterable[Name], values: Mapping[str, object]
) -> Choice | None:
    """Return a term's value in one source, called `who`; None if it has none, or says None.

    Raises ValueError for an impossible value, and for two names with different values.
    """
    chosen: Choice | None = None
    for name in names:
        given = values.get(name.name)
        if given is None:
            continue
        by = f"{who} {name.name}"
        try:
            choice = Choice(name.read(plain(given)), by)
        except ValueError as error:
            raise ValueError(f"{by} is {spell(plain(given))}, not {error}") from None
        if chosen is None:
            chosen = choice
        elif size(chosen.value) != size(choice.value):
            raise ValueError(f"{chosen.by} and {by} say different things")
    return chosen


def clash(choices: Mapping[str, Choice]) -> str | None:
    """Return the problem of terms that exclude each other; None if there is none."""
    limits = choices.get("maxclusterrank")
    fixes = [
        choices[name]
        for name in ("cluster_dim", "blocksareclusters")
        if name in choices and choices[name].value != DEFAULTS[name]
    ]
    if limits is None or not fixes:
        return None
    return f"{fixes[0].by} and {limits.by} exclude each other: clusters are fixed or limited"


def check_options(given: Mapping[str, object]) -> dict[str, object]:
    """Check options, and return those that are not None, or lift a hint by being None.

    TypeError for an unknown option; UnsupportedError for an impossible value, and for two options
    that contradict each other.
    """
    known = {option.name for option in OPTIONS}
    for name in given:
        if name not in known:
            meant = did_you_mean(name, known)
            raise TypeError(f"compile() got an unexpected keyword argument {name!r}{meant}")
    lifting = {name.name for term in TERMS if term.hint for name in term.options}
    options = {name: value for name, value in given.items() if value is not None or name in lifting}
    try:
        choices = {term.name: said(term, "option", term.options, options) for term in TERMS}
    except ValueError as problem:
        raise UnsupportedError(str(problem)) from None
    if problem := clash({name: choice for name, choice in choices.items() if choice}):
        raise UnsupportedError(problem)
    return options


def as_read(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options that have been checked by what counts of them, however they were written."""
    return {
        option.name: None if (given := options[option.name]) is None else option.read(plain(given))
        for option in OPTIONS
        if option.name in options
    }


def beyond_defaults(options: Mapping[str, object]) -> list[str]:
    """Return the names of the options that differ from the default."""
    return [
        option.name
        for term in TERMS
        for option in term.options
        if options.get(option.name) is not None
        and option.read(options[option.name]) != term.default
    ]


def size(value: Any) -> int:
    """Return the number to compare two values of a term by: the blocks of a cluster, or itself."""
    return prod(value) if isinstance(value, tuple) else int(value)


def plain(value: object) -> object:
    """Return a value without the type of a hint's integer, and with tuples for lists."""
    if isinstance(value, IntegerAttribute):
        return value.value
    return tuple(value) if isinstance(value, list) else value
