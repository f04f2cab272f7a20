"""Analyses of a kernel: made when asked for, once, and dropped when its body changes."""

from __future__ import annotations

from tests.corpus import NEWEST
from tileir import Bytecode
from tileir.codegen.analysis.contiguity import Contiguity
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.analysis.origins import Origins, addresses_of
from tileir.codegen.kernel import KernelIR
from tileir.codegen.transform.eliminate_dead_ops import erase_dead_ops

ANALYSES = (Contiguity, Divisibility, Origins)


def softmax() -> KernelIR:
    bytecode = Bytecode.parse(NEWEST["softmax"].read_bytes())
    return KernelIR.copy_of(bytecode.functions[0], bytecode)


def test_facts_are_made_once() -> None:
    kernel = softmax()
    for analysis in ANALYSES:
        assert isinstance(kernel.facts(analysis), analysis)
        assert kernel.facts(analysis) is kernel.facts(analysis)


def test_facts_are_dropped_when_the_body_is_edited() -> None:
    kernel = softmax()
    before, ops = kernel.facts(Divisibility), list(kernel.body.block.ops)
    assert erase_dead_ops(kernel) == 2
    dropped = [op for op in ops if op not in kernel.body.block.ops]
    assert [op.name for op in dropped] == ["constant", "constant"]
    assert dropped[0].result in before
    assert dropped[0].result not in kernel.facts(Divisibility)
    assert kernel.facts(Divisibility) is not before


def test_the_module_stays() -> None:
    kernel = softmax()
    ops = list(kernel.function.walk())
    assert erase_dead_ops(kernel)
    assert list(kernel.function.walk()) == ops
    assert kernel.bytecode.build() == kernel.bytecode.data


def test_where_a_store_goes() -> None:
    kernel = softmax()
    (store,) = (op for op in kernel.walk() if op.name == "store_view_tko")
    assert kernel.facts(Origins).behind(addresses_of(store)).parameters == {5}
