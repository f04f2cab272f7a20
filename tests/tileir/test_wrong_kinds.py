"""A value of the wrong kind in any slot of any op: a located error, whoever is asked."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

import pytest

import tileir
from tests.tileir.every_op import module_with
from tests.tileir.verifier.unchecked import write
from tests.tileir.wrong_kinds import mutants, one_of_each_kind, text_with
from tileir import AssemblyError, BuildError, Bytecode, BytecodeError, VerifyError
from tileir.builder import Module
from tileir.builder.calls import python_name
from tileir.builder.kernel import Kernel
from tileir.formats.ops import BY_NAME
from tileir.formats.version import LATEST
from tileir.ir import Op, Value

OPS = sorted(name for name, spec in BY_NAME.items() if spec.in_body and not spec.since.preview)
COMBINING = ("reduce", "scan")

LINES = """entry @k() {
  %v = make_token : token
  %r = reduce %v dim=0 identities=[0.0 : f16] : tile<2xf16> -> tile<f16>
  (%a: tile<f16>, %b: tile<f16>) {
    yield %a : tile<f16>
  }
  return
}
"""


@pytest.mark.parametrize("name", COMBINING)
def test_a_token_is_not_reduced(name: str) -> None:
    text = LINES.replace("reduce", name)
    text = text.replace("dim=0", "dim=0 reverse=false") if name == "scan" else text
    with pytest.raises(AssemblyError) as caught:
        tileir.assemble(text)
    problem = caught.value.problems[0]
    assert problem.line == 3
    assert problem.message == "%v is token, but tile<2xf16> is stated"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPS)
def test_in_the_text(name: str) -> None:
    """Another value, another type stated, both, in every place; of most ops some are drawn."""
    before, own, after = text_with(BY_NAME[name])
    tileir.assemble(before + own + after)
    texts = [before + mutant + after for mutant in dict.fromkeys(mutants(before, own))]
    draw = random.Random(name)
    refused: list[AssemblyError] = []
    drawn = draw.sample(texts, min(len(texts), 80 if name in COMBINING else 12))
    for text in drawn:
        try:
            bytecode = tileir.assemble(text)
        except AssemblyError as error:
            refused.append(error)
        else:  # the op takes that kind too
            assert not [d for d in tileir.verify(bytecode) if d.severity == "error"]
    assert len(refused) >= len(drawn) / 2
    assert all(problem.line for error in refused for problem in error.problems)


@pytest.mark.parametrize("name", OPS)
def test_in_a_call_of_the_builder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each operand replaced, and the result stated to be of that type."""
    make, tried, refused = Kernel.op, 0, 0

    def with_others_first(kernel: Kernel, spec, positional, named):
        nonlocal tried, refused
        if spec.mnemonic == name and not tried:
            tried += 1
            for arguments, others in calls(kernel, spec, positional, named):
                ops, numbered = kernel._open_blocks[-1].block.ops, kernel._count
                count = len(ops)
                tried += 1
                try:
                    make(kernel, spec, arguments, others)
                except BuildError:
                    refused += 1
                    assert len(ops) == count
                del ops[count:]
                kernel.pending = None
                kernel._count = numbered
        return make(kernel, spec, positional, named)

    monkeypatch.setattr(Kernel, "op", with_others_first)
    module_with(BY_NAME[name], LATEST).bytecode().touch(strict=True)
    assert refused >= (tried - 1) / 2


def calls(kernel: Kernel, spec, positional, named) -> Iterator[tuple[list, dict]]:
    """The arguments of calls in each of which one operand is another value."""
    kinds = one_of_each_kind(kernel)
    for place, slot in enumerate(spec.operands):
        for value in kinds:
            for given in [value] if slot.arity != "many" else [[value], [value, value]]:
                arguments, others = list(positional), dict(named)
                if place < len(arguments):
                    arguments[place] = given
                else:
                    others[python_name(slot.name)] = given
                yield arguments, others
                yield arguments, {**others, "result": value.type}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OPS)
def test_in_a_body_that_was_not_checked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every operand, result and block argument, in memory and in a file written unchecked."""
    bytecode, op, kinds = edited(name, monkeypatch)
    draw = random.Random(name)
    ends = [end for r in op.regions for b in r.blocks for end in b.ops if end.spec.terminator]
    for changed in (op, *ends):
        for slot in changed.spec.operands:
            before = changed.operands[slot.name]
            for value in draw.sample(kinds, 2):
                changed.operands[slot.name] = (value,) if slot.arity == "many" else value
                judge(bytecode)
            changed.operands[slot.name] = before
    arguments = [value for r in op.regions for b in r.blocks for value in b.arguments]
    for value in (*op.results, *arguments):
        before = value.type
        for other in draw.sample(kinds, 2):
            value.type = other.type
            judge(bytecode)
        value.type = before
    assert not [d for d in tileir.verify(bytecode) if d.severity == "error"]


def edited(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Bytecode, Op, list[Value]]:
    """A module that uses an op, the op, and values of every kind that it could use."""
    function, types = Module.function, []

    def with_kinds(module: Module, *given, **named) -> Kernel:
        kernel = function(module, *given, **named)
        types.extend(value.type for value in one_of_each_kind(kernel))
        return kernel

    monkeypatch.setattr(Module, "function", with_kinds)
    bytecode = module_with(BY_NAME[name], LATEST).bytecode()
    entry = bytecode.functions[0]
    op = [op for op in entry.walk() if op.name == name][-1]
    made = [value for one in entry.body.block.ops for value in one.results]
    visible = [*entry.body.block.arguments, *made]
    kinds = [next(v for v in visible if v.type == type) for type in dict.fromkeys(types)]
    return bytecode, op, kinds


def judge(edited: Bytecode) -> None:
    """What is wrong is said by diagnostics, and then nothing is compiled."""
    modules = [edited]
    with contextlib.suppress(BuildError, BytecodeError):  # the file may have no room for it
        modules.append(Bytecode.parse(write(edited)))
    with contextlib.suppress(BuildError):
        edited.build(check=False)
    for bytecode in modules:
        try:
            wrong = [d for d in tileir.verify(bytecode) if d.severity == "error"]
        except BytecodeError:
            continue
        try:
            tileir.disassemble(bytecode)
        except VerifyError:
            assert wrong
        if wrong:
            with pytest.raises(VerifyError):
                tileir.compile(bytecode, "sm_90", cache=False)
