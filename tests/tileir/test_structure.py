"""The check against the op table: silent on what NVIDIA accepts, precise on what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import FIXTURES, VALID, name_of
from tileir import Bytecode, BytecodeError, VerifyError
from tileir.annotate import annotate
from tileir.structure import check, findings


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_valid_files_have_no_findings(path: Path) -> None:
    check(Bytecode.parse(path.read_bytes()).functions)


def test_a_body_needs_a_terminator() -> None:
    data = (FIXTURES / "invalid" / "no_return.tileirbc").read_bytes()
    with pytest.raises(VerifyError, match="does not end with a terminator"):
        check(Bytecode.parse(data).functions)


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
                ours = [text for f in Bytecode.parse(mutant).functions for text in findings(f)]
            except BytecodeError as error:
                ours = [error]
            path = tmp_path / "mutant.tileirbc"
            path.write_bytes(mutant)
            if tool("tileirdisasm", path).returncode == 0:
                assert not ours
            found += bool(ours)
    assert found > len(leaves[:: max(1, len(leaves) // 12)])
