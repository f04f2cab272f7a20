"""The command line of tileiras, as far as frontends use it: one table, and who passes what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .remarks import CATEGORIES, FORMATS

CUTILE = "cuTile"
JULIA = "cuTile.jl"
RUST = "cutile-rs"
TRITON = "Triton"
ALL = (CUTILE, JULIA, RUST, TRITON)

SOURCES = {
    CUTILE: "cuda/tile/_compile.py (1.7.0): compile_cubin, _get_max_supported_bytecode_version",
    JULIA: "src/launch.jl (c3e5f05a): run_tileiras, probe_max_bytecode_version",
    RUST: "cutile-compiler/src/cuda_tile_runtime_utils.rs (0839fe47): run_tileiras",
    TRITON: "Triton-to-tile-IR, third_party/tileir/backend/compiler.py (50ec1da0): call_tileiras",
}
"""Frontend -> where it calls tileiras, with the version that was read."""


class Option(NamedTuple):
    """An option that is taken: its spellings, what its value is ("" for none), what is done.

    `passed_by` has the frontends that pass it.
    """

    names: tuple[str, ...]
    value: str
    done: str
    passed_by: tuple[str, ...]

    @property
    def spelled(self) -> str:
        """The option as help and docs/tileiras.md show it."""
        first, *others = self.names
        return ", ".join([f"{first} {self.value}".rstrip(), *others])


TAKEN = (
    Option(("--gpu-name", "--arch"), "GPU", "what to compile for, sm_75 included", ALL),
    Option(("-o", "--output-file"), "FILE", "where the cubin goes", ALL),
    Option(("--opt-level", "-O"), "LEVEL", "0 to 3; there is one level, so nothing changes", ALL),
    Option(("--lineinfo",), "", "source lines in the cubin", (CUTILE, JULIA)),
    Option(("--device-debug", "-g"), "", "the same: lines, but no variables", (CUTILE,)),
    Option(("--remarks",), "CATEGORY", "our remarks: all, memory, tensorcore", (CUTILE, JULIA)),
    Option(("--remark-format",), "FORMAT", "yaml, or else lines", (CUTILE, JULIA)),
    Option(("--remarks-output-file",), "FILE", "where the YAML goes", (CUTILE, JULIA)),
    Option(("--version",), "", "who compiles, by what", (CUTILE, JULIA, RUST, TRITON)),
    Option(("--list-versions",), "", "the versions of bytecode that are read", ()),
    Option(("--help", "-h"), "", "this", ()),
)

REFUSED = {
    "--preview": "what needs it calls libraries for GPUs, which only NVIDIA's tileiras links",
    "-l": "libraries for GPUs are linked by NVIDIA's tileiras alone",
    "--sanitize": "there is no instrumented code; `tileir run --emulate` finds wrong accesses",
    "--apply-controls": "such files are for NVIDIA's compiler",
    "--host-arch": "there is no code for the host in what is made",
    "--host-os": "there is no code for the host in what is made",
}
"""Option of NVIDIA's tileiras that is not taken -> why not. cuTile passes the first two."""

_VALUES = {
    "--opt-level": ("0", "1", "2", "3"),
    "--remarks": tuple(CATEGORIES),
    "--remark-format": FORMATS,
}
"""Option -> the values that it may have."""
_BY_NAME = {name: option for option in TAKEN for name in option.names}


class WrongUse(Exception):
    """A command line that is refused; the message names what."""


class Given(NamedTuple):
    """A command line: values by the first spelling of their option, and the input file, if any."""

    values: dict[str, str]
    source: str | None

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return name in self.values


def parse(arguments: Sequence[str]) -> Given:
    """Read a command line; values follow a blank or "=", the level follows -O, too."""
    values: dict[str, str] = {}
    sources: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            sources.append(word)
            continue
        name, equals, value = word.partition("=")
        if name[:2] == "-O" and name[2:]:
            name, equals, value = "-O", "=", name[2:]
        option = _option(name)
        if not option.value:
            if equals:
                raise WrongUse(f"option {name} takes no value")
        elif not equals:
            if not rest:
                raise WrongUse(f"option {name} requires a value")
            value = rest.pop(0)
        known = _VALUES.get(option.names[0], (value,))
        if value not in known:
            raise WrongUse(f"option {name} is {value!r}, and may be {', '.join(known)}")
        values[option.names[0]] = value
    if len(sources) > 1:
        raise WrongUse(f"one file of bytecode is compiled, not {len(sources)}: {sources}")
    return Given(values, sources[0] if sources else None)


def _option(name: str) -> Option:
    """Return an option that is taken; long names may have one hyphen, as NVIDIA's have."""
    for spelling in (name, f"-{name}"):
        if spelling in _BY_NAME:
            return _BY_NAME[spelling]
        if spelling in REFUSED:
            raise WrongUse(f"option {spelling} is not taken: {REFUSED[spelling]}")
    if name.startswith("-l"):
        raise WrongUse(f"option -l is not taken: {REFUSED['-l']}")
    raise WrongUse(f"option {name} is not known")


def table() -> list[str]:
    """Return the rows of the options for people, in Markdown."""
    rows = ["| option | what is done | passed by |", "|---|---|---|"]
    rows += [
        f"| `{each.spelled}` | {each.done} | {', '.join(each.passed_by) or 'people'} |"
        for each in TAKEN
    ]
    rows += [f"| `{name}` | refused: {why} | |" for name, why in REFUSED.items()]
    return rows


def help_text() -> str:
    """Return the answer to --help."""
    lines = ["usage: tileiras [option ...] FILE", ""]
    lines += [
        "tileir in the place of NVIDIA's tileiras: Tile IR bytecode to a cubin, by ptxas.",
        "",
    ]
    lines += [f"  {each.spelled:<34}{each.done}" for each in TAKEN]
    lines += ["", "not taken:", *(f"  {name:<34}{why}" for name, why in REFUSED.items())]
    return "\n".join(lines)
