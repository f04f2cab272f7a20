"""The folding builder makes functions that compute what llvmlite's own builder has them compute."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable

import llvmlite.binding as llvm
import pytest
from llvmlite import ir

from tileir.codegen.host.machine import cpu
from tileir.codegen.llvm import parse, start
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.llvm.function import Function
from tileir.codegen.llvm.unused import drop_unused

I1, I16, I32, I64 = (ir.IntType(width) for width in (1, 16, 32, 64))
KIND = ir.FunctionType(I32, [I32] * 3)
BINARY = ("add", "sub", "mul", "and_", "or_", "xor", "shl", "lshr", "ashr", "udiv", "urem")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
NUMBERS = (0, 1, 2, 5, 16, 31, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)

Program = Callable[[ir.IRBuilder, list[ir.Value]], ir.Value]


def body(seed: int) -> Program:
    """A random program of integers: the same one for each builder that it is given."""

    def emit(builder: ir.IRBuilder, arguments: list[ir.Value]) -> ir.Value:
        choice = random.Random(seed)
        values = [*arguments, *(ir.Constant(I32, number) for number in NUMBERS)]
        for _ in range(40):
            a, b = choice.choice(values), choice.choice(values)
            values.append(step(builder, choice, a, b))
        total = values[0]
        for value in values[1:]:
            total = builder.xor(builder.mul(total, ir.Constant(I32, 31)), value)
        return total

    return emit


def step(builder: ir.IRBuilder, choice: random.Random, a: ir.Value, b: ir.Value) -> ir.Value:
    """One operation, defined for all operands."""
    what = choice.randrange(6)
    if what == 0:
        compare = choice.choice((builder.icmp_signed, builder.icmp_unsigned))
        return builder.select(compare(choice.choice(COMPARISONS), a, b), a, b)
    if what == 1:
        widen = choice.choice((builder.zext, builder.sext))
        return builder.trunc(builder.lshr(widen(a, I64), ir.Constant(I64, 16)), I32)
    if what == 2:  # halves, and the word that they are
        low = builder.trunc(a, I16)
        high = builder.trunc(builder.lshr(choice.choice((a, b)), ir.Constant(I32, 16)), I16)
        pair: ir.Value = ir.Constant(ir.VectorType(I16, 2), ir.Undefined)
        for index, half in enumerate((low, high)):
            pair = builder.insert_element(pair, half, ir.Constant(I32, index))
        return builder.bitcast(pair, I32)
    if what == 3:
        return builder.bitcast(builder.bitcast(a, ir.FloatType()), I32)
    name = choice.choice(BINARY)
    if name in ("shl", "lshr", "ashr"):
        b = builder.and_(b, ir.Constant(I32, 31))
    if name in ("udiv", "urem"):
        b = builder.or_(b, ir.Constant(I32, 1))
    return getattr(builder, name)(a, b)


def looped(inner: Program) -> Callable[[ir.IRBuilder, list[ir.Value]], ir.Value]:
    """A program that runs another one in two loops and behind an if; `arguments[2]` counts."""

    def emit(builder: ir.IRBuilder, arguments: list[ir.Value]) -> ir.Value:
        def loop(depth: int, carried: ir.Value) -> ir.Value:
            if depth == 0:
                odd = builder.icmp_unsigned(
                    "!=", builder.and_(carried, ir.Constant(I32, 1)), ir.Constant(I32, 0)
                )
                slot = variable(builder, carried)
                with builder.if_then(odd):
                    builder.store(inner(builder, [*arguments[:2], carried]), slot)
                return builder.add(builder.load(slot, typ=I32), inner(builder, arguments))
            before = variable(builder, carried)
            counter = variable(builder, ir.Constant(I32, 0))
            head, after = (builder.append_basic_block(name) for name in ("head", "after"))
            if isinstance(builder, FoldingBuilder):
                builder.enter_loop(head)
            else:
                builder.branch(head)
                builder.position_at_end(head)
            number = builder.load(counter, typ=I32)
            total = loop(depth - 1, builder.add(builder.load(before, typ=I32), number))
            moved = builder.add(builder.add(total, arguments[0]), arguments[1])
            builder.store(moved, before)
            following = builder.add(number, ir.Constant(I32, 1))
            builder.store(following, counter)
            more = builder.icmp_unsigned(
                "<", following, builder.and_(arguments[2], ir.Constant(I32, 3))
            )
            builder.cbranch(more, head, after)
            if isinstance(builder, FoldingBuilder):
                builder.leave_loop(head, after)
            else:
                builder.position_at_end(after)
            return builder.add(builder.load(before, typ=I32), inner(builder, arguments))

        return loop(2, arguments[0])

    return emit


def variable(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    with builder.goto_entry_block():
        slot = builder.alloca(I32)
    builder.store(value, slot)
    return slot


def module_of(make: type[ir.IRBuilder], program: Program) -> ir.Module:
    module = ir.Module()
    module.triple, module.data_layout = cpu.triple_and_layout()
    function = Function(module, KIND, "f")
    builder = make(function.append_basic_block("entry"))
    builder.branch(builder.append_basic_block("start"))
    builder.position_at_end(function.blocks[-1])
    builder.ret(program(builder, list(function.args)))
    return module


def run(module: ir.Module, inputs: list[tuple[int, int, int]]) -> list[int]:
    start("native")
    engine = cpu.load(cpu.object_code(parse(str(module))))
    compiled = ctypes.CFUNCTYPE(ctypes.c_uint32, *[ctypes.c_uint32] * 3)(
        engine.get_function_address("f")
    )
    return [compiled(*each) for each in inputs]


def instructions(module: ir.Module) -> int:
    return sum(len(block.instructions) for block in module.globals["f"].blocks)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("loops", [False, True])
def test_a_program_computes_the_same(seed: int, loops: bool) -> None:
    program = looped(body(seed)) if loops else body(seed)
    plain, folding = module_of(ir.IRBuilder, program), module_of(FoldingBuilder, program)
    drop_unused(folding.globals["f"])
    choice = random.Random(seed)
    inputs = [
        tuple(choice.choice((*NUMBERS, choice.getrandbits(32))) for _ in range(3))
        for _ in range(20)
    ]
    assert run(folding, inputs) == run(plain, inputs)
    assert instructions(folding) < instructions(plain)


@pytest.mark.parametrize("seed", range(3))
def test_a_function_is_printed_as_by_llvmlite(seed: int) -> None:
    function = module_of(FoldingBuilder, looped(body(seed))).globals["f"]
    ours: list[str] = []
    theirs: list[str] = []
    function.descr_body(ours)
    ir.Function.descr_body(function, theirs)
    assert "".join(ours) == "".join(theirs)


def test_what_a_loop_does_not_change_is_before_it() -> None:
    module = module_of(FoldingBuilder, looped(lambda b, given: b.mul(given[0], given[1])))
    (product,) = [
        each
        for block in module.globals["f"].blocks
        for each in block.instructions
        if each.opname == "mul"
    ]
    assert product.parent.name == "start"


def test_a_division_stays_where_it_is_asked_for() -> None:
    module = module_of(FoldingBuilder, looped(lambda b, given: b.udiv(given[0], given[1])))
    blocks = module.globals["f"].blocks
    assert not [each for each in blocks[1].instructions if each.opname == "udiv"]
    assert llvm.parse_assembly(str(module)).verify() is None
