"""Analyses of a kernel: made when asked for, once, and dropped when its body changes."""

from __future__ import annotations

from tests.corpus import NEWEST
from tileir import Bytecode
from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.origins import Origins, addresses_of
from tileir.codegen.analysis.uses import Uses
from tileir.codegen.kernel import KernelIR
from tileir.codegen.transform.eliminate_dead_ops import without_dead_ops

ANALYSES = (Contiguity, Divisibility, Origins, Uses)


def softmax() -> KernelIR:
    bytecode = Bytecode.parse(NEWEST["softmax"].read_bytes())
    return KernelIR.of(bytecode.functions[0], bytecode)


def test_facts_are_made_once() -> None:
    kernel = softmax()
    for analysis in ANALYSES:
        assert isinstance(kernel.facts(analysis), analysis)
        assert kernel.facts(analysis) is kernel.facts(analysis)


def test_facts_are_dropped_with_the_body() -> None:
    kernel = softmax()
    before = kernel.facts(Divisibility)
    shorter = without_dead_ops(kernel)
    dropped = [op for op in kernel.body.block.ops if op not in shorter.body.block.ops]
    assert [op.name for op in dropped] == ["constant", "constant"]
    assert dropped[0].result in before
    assert dropped[0].result not in shorter.facts(Divisibility)
    assert kernel.facts(Divisibility) is before
    kernel.body = shorter.body
    assert dropped[0].result not in kernel.facts(Divisibility)


def test_uses_are_the_operands() -> None:
    kernel = softmax()
    uses = kernel.facts(Uses)
    for op in kernel.walk():
        for value in op.operand_list():
            assert op in uses[value]
    assert sum(map(len, uses.values())) == sum(len([*op.operand_list()]) for op in kernel.walk())
    assert uses[next(reversed(kernel.body.block.ops[-2].results))] == []


def test_where_a_store_goes() -> None:
    kernel = softmax()
    (store,) = (op for op in kernel.walk() if op.name == "store_view_tko")
    assert kernel.facts(Origins).behind(addresses_of(store)).parameters == {5}
