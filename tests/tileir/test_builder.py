"""The builder: every op in every version is what NVIDIA reads, and reads back as it was built."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.tileir.every_op import module_with
from tileir import Bytecode
from tileir.calls import python_name
from tileir.formats.ops import OPS
from tileir.formats.version import SUPPORTED
from tileir.ir import Body
from tileir.kernel import Kernel
from tileir.structure import check

BODY_OPS = [spec for spec in OPS if spec.in_body]
CASES = [(spec, version) for spec in BODY_OPS for version in SUPPORTED if version >= spec.since]


def described(body: Body) -> list:
    """Everything a body says, in a form that compares."""
    return [
        (
            op.name,
            op.depth,
            [(value.number, value.type) for value in op.results],
            {name: numbers(value) for name, value in op.operands.items()},
            op.attributes,
            [[(v.number, v.type) for v in b.arguments] for r in op.regions for b in r.blocks],
            str(op.location),
        )
        for op in body.walk()
    ]


def numbers(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(numbers, value))
    return None if value is None else value.number


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("spec", "version"), CASES, ids=[f"{spec.mnemonic}-{version}" for spec, version in CASES]
)
def test_every_op_is_what_nvidia_reads(spec, version, tool, tmp_path: Path) -> None:
    module = module_with(spec, version)
    data = module.build()
    path = tmp_path / "built.tileirbc"
    path.write_bytes(data)
    done = tool("tileirdisasm", path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
    bytecode = Bytecode.parse(data, strict=True)
    assert bytecode.build() == data
    check(bytecode.functions)
    (kernel,), (function,) = module.functions, bytecode.functions
    assert any(op.spec is spec for op in function.walk())
    assert described(function.body) == described(kernel.body)


@pytest.mark.parametrize("spec", BODY_OPS, ids=lambda spec: spec.mnemonic)
def test_every_op_is_a_documented_method(spec) -> None:
    method = getattr(Kernel, python_name(spec.mnemonic))
    parameters = inspect.signature(method).parameters
    for slot in (*spec.operands, *spec.attributes):
        assert python_name(slot.name) in parameters
        assert f"{python_name(slot.name)}: " in method.__doc__
    assert spec.doc in method.__doc__
