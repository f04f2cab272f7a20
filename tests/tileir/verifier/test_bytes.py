"""Rules that only one op has, each broken in a file and refused by NVIDIA's tool as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tileir import Bytecode, VerifyError
from tileir.explain.annotate import Leaf, annotate
from tileir.verifier.module import check

CASES = [
    ("vector_add", "predicate.divisor", 24, "power of 2"),
    ("vector_add", "predicate.divisor", 0, "power of 2"),
    ("transpose", "permutation[0]", 0, "elements to be unique"),
]


def leaf_of(bytecode: Bytecode, field: str) -> Leaf:
    """The first field of that name in an op."""
    leaves = (leaf for leaf in annotate(bytecode) if isinstance(leaf, Leaf) and leaf.op)
    return next(leaf for leaf in leaves if leaf.field == field)


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "field", "value", "message"), CASES)
def test_a_broken_rule(
    name: str, field: str, value: int, message: str, tool, tmp_path: Path
) -> None:
    data = bytearray((FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes())
    bytecode = Bytecode.parse(bytes(data))
    leaf = leaf_of(bytecode, field)
    data[leaf.offset] = value
    with pytest.raises(VerifyError, match=message):
        check(Bytecode.parse(bytes(data)))
    path = tmp_path / "broken.tileirbc"
    path.write_bytes(data)
    assert tool("tileirdisasm", path).returncode == 3


@pytest.mark.oracle
def test_inbounds_has_one_truth_a_dimension(tool, tmp_path: Path) -> None:
    """scaled_copy's load with one inbounds too few: count 1, and its second byte gone."""
    data = bytearray((FIXTURES / "13.4" / "scaled_copy.tileirbc").read_bytes())
    bytecode = Bytecode.parse(bytes(data))
    count = leaf_of(bytecode, "inbounds.count")
    length = next(
        leaf for leaf in annotate(bytecode) if getattr(leaf, "field", "") == "body.length"
    )
    section = next(leaf for leaf in annotate(bytecode) if getattr(leaf, "field", "") == "length")
    assert (count.value, length.length, section.length) == (2, 2, 2)
    data[count.offset] = 1
    del data[count.offset + 1]
    data[length.offset] -= 1
    end = bytecode.functions[0].code.offset + len(bytecode.functions[0].code.data) - 1
    data.insert(end, 0xCB)  # the section keeps its size
    with pytest.raises(VerifyError, match=r"inbounds size \(1\) must match"):
        check(Bytecode.parse(bytes(data)))
    path = tmp_path / "broken.tileirbc"
    path.write_bytes(data)
    done = tool("tileirdisasm", path)
    assert b"inbounds size (1) must match the number of index dimensions (2)" in done.stderr
