"""The check against the op table: silent on what NVIDIA accepts, precise on what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.formats.corruptions import ROWS
from tests.formats.small import EMPTY_SIGNATURE, RETURN, file, kernel, varint
from tileir import Bytecode, BytecodeError, VerifyError
from tileir.explain.annotate import annotate
from tileir.verifier.module import check, verify


def test_a_body_needs_a_terminator() -> None:
    data = (FIXTURES / "invalid" / "no_return.tileirbc").read_bytes()
    with pytest.raises(VerifyError, match="block with no terminator"):
        check(Bytecode.parse(data))


def functions(*flags: int) -> tuple[int, int, bytes]:
    """A Func section of entries that are all called "kern"."""
    entries = [bytes([0, 0, flag, 0]) + varint(len(RETURN)) + RETURN for flag in flags]
    return (2, 8, varint(len(entries)) + b"".join(entries))


@pytest.mark.parametrize(
    ("flags", "message"),
    [([2, 2], "redefinition of symbol named 'kern'"), ([3], "must have public symbol visibility")],
)
def test_entries_have_public_names_of_their_own(flags: list[int], message: str) -> None:
    strings, types, _ = kernel([EMPTY_SIGNATURE])
    with pytest.raises(VerifyError, match=message):
        check(Bytecode.parse(file(strings, types, functions(*flags))))


def test_an_if_with_results_has_both_branches() -> None:
    """Corruption 282: the else region has no block, and the if a result."""
    row = next(row for row in ROWS if row.number == 282)
    with pytest.raises(VerifyError, match="non-empty return type, must define else branch"):
        check(Bytecode.parse(row.make()))


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["vector_add", "scaled_copy", "row_sum", "transpose", "shapes"])
def test_another_type_is_found_where_nvidia_finds_it(name: str, tool, tmp_path: Path) -> None:
    """Every result type of the file in turn replaced by each other type."""
    data = (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()
    bytecode = Bytecode.parse(data)
    leaves = [leaf for leaf in annotate(bytecode) if "result_types[" in getattr(leaf, "path", "")]
    found = 0
    for leaf in leaves[:: max(1, len(leaves) // 12)]:
        for index in range(0, len(bytecode.types), 3):
            mutant = bytearray(data)
            mutant[leaf.offset] = index
            try:
                ours = verify(Bytecode.parse(mutant))
            except BytecodeError as error:
                ours = [error]
            path = tmp_path / "mutant.tileirbc"
            path.write_bytes(mutant)
            if tool("tileirdisasm", path).returncode == 0:
                assert not ours
            found += bool(ours)
    assert found > len(leaves[:: max(1, len(leaves) // 12)])
