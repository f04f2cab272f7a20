"""357 corruptions of one file: our verdict on each, NVIDIA's, and where they differ and why."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import nvidia_tool
from tests.formats.corruptions import ROWS
from tests.formats.corruptions.base import base
from tests.formats.corruptions.rows import CRASH, IN_PART, OTHER, READ, SAME, Row
from tests.rebuild import rebuilt
from tileir import Bytecode, BytecodeError, VerifyError
from tileir.explain.annotate import annotate
from tileir.verifier.module import check

WIDE = "NVIDIA's reader cuts the number to 8 or 32 bits; no producer writes it"
DIFFERENCES = {
    **dict.fromkeys((153, 270, 294), WIDE),
    32: "they read public-preview content only if asked to (--preview=simt), we always do",
}
"""Rows on which NVIDIA's verdict and ours differ, and why."""

ROOT = Path(__file__).parents[2]

BOUNDED = """
import resource
from tests.formats.corruptions import ROWS
from tests.formats.test_corruptions import outcome

files = [row.make() for row in ROWS]
pages = int(open("/proc/self/statm").read().split()[0])
bound = pages * resource.getpagesize() + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
print(*map(outcome, files))
"""

MEMORY = 4 << 30
"""Address space for tileirdisasm, which reserves 16 GB and more for some counts."""

BOUNDS = ("sh", "-c", f'ulimit -c 0; ulimit -v {MEMORY >> 10}; exec "$@"', "sh")
"""Starts a program that may not take the machine with it; forking Python would be dear."""

GROUPS = {verdict: [row for row in ROWS if row.ours == verdict] for verdict in sorted(
    {row.ours for row in ROWS}
)}  # fmt: skip
"""Our verdict -> the rows that get it."""


def number(row: Row) -> str:
    return str(row.number)


def read_all(data: bytes, reference: bool) -> Bytecode:
    return Bytecode.parse(data, reference=reference).touch()


def outcome(data: bytes) -> str:
    """READ, IN_PART, "verify" or the kind of the error."""
    try:
        bytecode = read_all(data, reference=False)
        check(bytecode)
    except BytecodeError as error:
        return error.kind
    except VerifyError:
        return "verify"
    return IN_PART if bytecode.newer else READ


def test_the_table_is_complete() -> None:
    assert [row.number for row in ROWS] == list(range(1, 358))
    assert len(base().build()) == 715
    assert len({row.what for row in ROWS}) > 340
    files = {row.make() for row in ROWS}
    assert len(files) >= len(ROWS) - 8, "a few are the same bytes under two descriptions"


@pytest.mark.parametrize("verdict", GROUPS)
def test_our_verdict(verdict: str, named: Callable, whole: bool) -> None:
    """Of files that are read, every third is shown and written, too, with --whole all of them."""
    for place, row in enumerate(GROUPS[verdict]):
        for reference in (False, True):
            with named(f"row {row.number}{', the reference' if reference else ''}"):
                check_verdict(row, reference)
        if verdict == READ:
            with named(f"row {row.number}, strictly"):
                check_strictness(row)
        if verdict == READ and (whole or place % 3 == 0):
            with named(f"row {row.number}, shown and written again"):
                check_shown_and_written(row)
        if verdict == IN_PART:
            with named(f"row {row.number}, shown and kept"):
                check_shown_and_kept(row)


def check_verdict(row: Row, reference: bool) -> None:
    """Read or refused as the row says."""
    data = row.make()
    if row.ours not in (READ, IN_PART, "verify"):
        with pytest.raises(BytecodeError) as caught:
            read_all(data, reference)
        assert caught.value.kind == row.ours
        assert_located(caught.value, data)
        return
    bytecode = read_all(data, reference)
    assert bytecode.newer == (row.ours == IN_PART)
    if bytecode.newer:
        assert bytecode.unknown
        return
    if row.ours == "verify":
        with pytest.raises(VerifyError):
            check(bytecode)
    else:
        check(bytecode)
        assert {warning.kind for warning in bytecode.warnings} == set(row.warns)
        assert all(0 <= warning.offset < len(data) for warning in bytecode.warnings)


def assert_located(error: BytecodeError, data: bytes) -> None:
    """One line that says what is wrong, and where in the file."""
    assert error.kind in BytecodeError.KINDS
    assert 0 <= error.offset <= len(data)
    assert error.section in ("header", "String", "Func", "Debug", "Constant", "Type", "Global",
                             "Producer")  # fmt: skip
    assert error.path
    assert error.expected
    assert error.found
    assert "\n" not in str(error)
    assert len(str(error)) < 500


def check_strictness(row: Row) -> None:
    """What is odd is refused if asked for."""
    data = row.make()
    if not row.warns:
        assert not Bytecode.parse(data, strict=True).warnings
        return
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(data, strict=True)
    assert caught.value.kind == "noncanonical"
    assert_located(caught.value, data)


def check_shown_and_written(row: Row) -> None:
    """What is read is shown to the last byte, and written again."""
    data, bytecode = check_shown_and_kept(row)
    assert rebuilt(bytecode) == data


def check_shown_and_kept(row: Row) -> tuple[bytes, Bytecode]:
    """What is read is shown to the last byte, and kept as it is; returns bytes and module."""
    data = row.make()
    bytecode = Bytecode.parse(data)
    position = 0
    for leaf in annotate(bytecode):
        if hasattr(leaf, "length"):
            assert leaf.offset == position
            position += leaf.length
    assert position == len(data)
    assert bytecode.build() == data
    return data, bytecode


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bounds memory as Linux does")
def test_nothing_costs_much_memory() -> None:
    """A process that may have 256 MB more than it starts with reads all of the rows."""
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [row.ours for row in ROWS]


def test_verdicts_differ_only_where_listed() -> None:
    differing = {row.number for row in ROWS if row.accepted != (row.ours == READ)}
    crashing = {row.number for row in ROWS if row.theirs == CRASH and row.ours == READ}
    assert differing | crashing == set(DIFFERENCES)


def disassemble(data: bytes, folder: Path) -> tuple[int, bytes, str]:
    """Exit code, text and messages of tileirdisasm."""
    path = nvidia_tool("tileirdisasm")
    if path is None:
        pytest.skip("tileirdisasm is not installed (pip install -e .[test])")
    file = folder / "corrupt.tileirbc"
    file.write_bytes(data)
    before = [] if sys.platform == "win32" else BOUNDS
    done = subprocess.run([*before, path, "-g", file], capture_output=True, timeout=60, check=False)
    messages = re.sub(r"error at offset (\d+): ", r"@\1 ", done.stderr.decode(errors="replace"))
    return done.returncode, done.stdout, messages


@pytest.fixture(scope="module")
def unspoilt(tmp_path_factory) -> dict[tuple[int, int], bytes]:
    """The text of the file in each version before anything is done to it."""
    texts = {}
    for version in {row.version for row in ROWS}:
        folder = tmp_path_factory.mktemp("unspoilt")
        code, texts[version], messages = disassemble(base(version).build(), folder)
        assert code == 0, messages
        assert b"entry @kern" in texts[version]
    return texts


@pytest.mark.oracle
@pytest.mark.parametrize("row", ROWS, ids=number)
def test_nvidias_verdict(row: Row, unspoilt, tmp_path: Path) -> None:
    if row.theirs == CRASH and sys.platform == "win32":
        pytest.skip("no bound on the memory of a process here")
    code, text, messages = disassemble(row.make(), tmp_path)
    if row.accepted:
        assert code == 0, messages
        same = text == unspoilt[row.version]
        assert row.theirs == (SAME if same else OTHER)
    elif row.theirs == CRASH:
        assert code < 0
    else:
        assert code == 3
        assert row.theirs in messages
