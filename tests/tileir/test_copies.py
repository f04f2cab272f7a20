"""Pickles and deep copies of a Bytecode: what would be written now, read again."""

from __future__ import annotations

import copy
import pickle

import pytest

import tileir
from tests.corpus import NEWEST
from tileir import Bytecode

COPIES = {
    "pickle": lambda bytecode: pickle.loads(pickle.dumps(bytecode)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.fixture(params=COPIES)
def copied(request: pytest.FixtureRequest):
    """A way to copy."""
    return COPIES[request.param]


def test_a_file_that_was_read(copied) -> None:
    bytecode = Bytecode.parse(NEWEST["softmax"].read_bytes()).touch()
    made = copied(bytecode)
    assert made.build() == bytecode.data
    assert made.functions[0].ops[0] is not bytecode.functions[0].ops[0]
    assert made.limits == bytecode.limits


def test_edits_are_copied(copied) -> None:
    bytecode = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    bytecode.functions.append(bytecode.functions[0].clone("another"))
    next(op for op in bytecode.functions[1].walk() if op.name == "addf").attributes[
        "rounding_mode"
    ] = "zero"
    made = copied(bytecode)
    assert made.build() == bytecode.build() != bytecode.data
    assert [function.name for function in made.functions] == ["vector_add", "another"]
    assert not [d for d in tileir.verify(made) if d.severity == "error"]


def test_text_and_launch_attributes(copied) -> None:
    text = "cuda_tile.module @kernels {\n  entry @k() {\n    return\n  }\n}\n"
    bytecode = tileir.assemble(text)
    made = copied(bytecode)
    assert made.launch_attributes == bytecode.launch_attributes
    assert made.text.position(made.text.symbols["k"]) == bytecode.text.position(
        bytecode.text.symbols["k"]
    )
    made.functions[0].ops.clear()
    (problem,) = tileir.verify(made)
    assert problem.text is None or problem.text.line >= 1


def test_a_function_is_cloned_with_its_locations() -> None:
    bytecode = Bytecode.parse(NEWEST["loop_sum"].read_bytes())
    function = bytecode.functions[0]
    places = [str(op.location) for op in function.walk()]
    for decoded in (function.clone("a"), function.original().clone("b")):
        assert [str(op.location) for op in decoded.walk()] == places
        assert decoded.location.scope.linkage_name == decoded.name
        bytecode.functions.append(decoded)
    function.name = "renamed"
    assert bytecode.functions[1].ops[0].location.scope.linkage_name == "a"
    assert not [d for d in tileir.verify(bytecode) if d.severity == "error"]
    again = Bytecode.parse(bytecode.build())
    assert [each.name for each in again.functions] == ["renamed", "a", "b"]
    assert not [d for d in tileir.verify(again) if d.severity == "error"]
