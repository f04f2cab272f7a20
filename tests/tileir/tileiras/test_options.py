"""The command lines that frontends pass to tileiras, as their sources have them."""

from __future__ import annotations

import pytest

from tests.corpus import ROOT
from tileir.tileiras.options import ALL, REFUSED, SOURCES, TAKEN, Given, WrongUse, parse, table

REMARKS = ["--remark-format=yaml", "--remarks=all", "--remarks-output-file=r.yaml"]

PASSED = {
    "cuTile": [
        ["in.bytecode", "-o", "out.cubin", "--gpu-name", "sm_90", "-O3", "--lineinfo", *REMARKS],
        ["in.bytecode", "-o", "out.cubin", "--gpu-name", "sm_90", "-O0", "--device-debug"],
        ["in.bytecode", "-o", "out.cubin", "--gpu-name", "sm_120"],
        ["--version"],
    ],
    "cuTile.jl": [
        ["in.tile", "-o", "out.cubin", "--gpu-name", "sm_90", "-O3", "--lineinfo", *REMARKS],
        ["in.tile", "-o", "out.cubin", "--gpu-name", "sm_100"],
        ["--version"],
    ],
    "cutile-rs": [
        ["--gpu-name", "sm_90", "--opt-level", "3", "-o", "out.cubin", "in.bc"],
        ["--gpu-name", "sm_120", "-o", "out.cubin", "in.bc"],
        ["--version"],
    ],
    "Triton": [
        ["--gpu-name=sm_90", "--opt-level=3", "in.bytecode", "-o", "out.cubin"],
        ["--version"],
    ],
}


@pytest.mark.parametrize("who", PASSED)
def test_what_frontends_pass(who: str) -> None:
    """It is taken, and the table says that they pass it, and nothing else."""
    passed = set()
    for line in PASSED[who]:
        given = parse(line)
        passed |= set(given.values)
        if given.values != {"--version": ""}:
            assert (given.source or "").startswith("in.")
            assert given.values["-o"] == "out.cubin"
            assert given.values["--gpu-name"].startswith("sm_")
    assert passed == {option.names[0] for option in TAKEN if who in option.passed_by}


def test_the_table_names_its_sources() -> None:
    assert set(PASSED) == set(SOURCES) == set(ALL)
    page = (ROOT / "docs" / "tileiras.md").read_text()
    assert "\n".join(table()) in page
    assert all(f"| {who} | {source} |" in page for who, source in SOURCES.items())


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("x -O2", {"--opt-level": "2"}),
        ("x -O 2", {"--opt-level": "2"}),
        ("x --opt-level=0", {"--opt-level": "0"}),
        ("x -gpu-name=sm_80", {"--gpu-name": "sm_80"}),
        ("x --arch sm_80 --output-file=y", {"--gpu-name": "sm_80", "-o": "y"}),
        ("-g x", {"--device-debug": ""}),
    ],
)
def test_spellings(line: str, values: dict[str, str]) -> None:
    assert parse(line.split()) == Given(values, "x")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x --fast", "option --fast is not known"),
        ("x --lineinfo=yes", "option --lineinfo takes no value"),
        ("x -o", "option -o requires a value"),
        ("x -O4", "option -O is '4', and may be 0, 1, 2, 3"),
        (
            "x --remarks=some",
            "option --remarks is 'some', and may be none, all",
        ),
        ("x y", r"one file of bytecode is compiled, not 2: \['x', 'y'\]"),
        ("x -lnvshmem", "option -l is not taken: libraries for GPUs"),
        ("x -sanitize=memcheck", "option --sanitize is not taken: "),
        *((f"x {name}=y", f"option {name} is not taken: ") for name in REFUSED),
    ],
)
def test_what_is_refused_by_name(line: str, said: str) -> None:
    with pytest.raises(WrongUse, match=f"^{said}"):
        parse(line.split())
