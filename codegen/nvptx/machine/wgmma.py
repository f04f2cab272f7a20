"""wgmma: matrix products that the four warps of a warpgroup start together, and wait for later.

Registers of an accumulator may not be touched from the first product on until a wait; what they
held before is handed over by a fence. So a piece of inline assembly takes an accumulator, and gives
it back under way; only `wait` makes numbers of it. Of f16, a register has two elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from .mma_atoms import BITS, Atom

_WORD = ir.IntType(32)
_CONSTRAINTS = {_WORD: "r", ir.IntType(64): "l", ir.FloatType(): "f"}

Operands = tuple[Sequence[ir.Value], Sequence[ir.Value]]
"""lhs and rhs of one instruction: a descriptor (i64), or registers of lhs (i32 each)."""


def start(
    builder: ir.IRBuilder,
    atom: Atom,
    products: Sequence[Operands],
    transposed: tuple[bool, bool],
    acc: Sequence[ir.Value],
    fresh: bool,
    commit: bool,
) -> list[ir.Value]:
    """Start to add products to an accumulator; return it, under way.

    `transposed` says of lhs and rhs whether rows in shared memory go along m or n. With `commit`,
    the products started since the last group become one. To a `fresh` accumulator the first product
    is not added: its registers are set.
    """
    count = len(acc)
    registers = f"{{{', '.join(f'${index}' for index in range(count))}}}"
    outputs = count if fresh else 2 * count
    arguments: list[ir.Value] = []
    lines = ["{ .reg .pred add; setp.ne.b32 add, 1, 0;", "wgmma.fence.sync.aligned;"]
    if fresh:
        lines.insert(1, ".reg .pred set; setp.ne.b32 set, 0, 0;")

    def named(values: Sequence[ir.Value]) -> str:
        numbers = []
        for value in values:
            if value not in arguments:
                arguments.append(value)
            numbers.append(f"${outputs + arguments.index(value)}")
        return numbers[0] if len(values) == 1 else f"{{{', '.join(numbers)}}}"

    for number, (lhs, rhs) in enumerate(products):
        flags = ["set" if fresh and not number else "add"]
        if atom.acc != "s32":
            flags += ["1", "1"]
        if BITS[atom.a] == 16:
            kinds = transposed if len(lhs) == 1 else transposed[1:]
            flags += [str(int(each)) for each in kinds]
        operands = f"{registers}, {named(lhs)}, {named(rhs)}, {', '.join(flags)}"
        lines.append(f"{atom.mnemonic} {operands};")
    if commit:
        lines.append("wgmma.commit_group.sync.aligned;")
    return _tied(builder, " ".join([*lines, "}"]), acc, arguments, fresh)


def wait(
    builder: ir.IRBuilder, groups: int, acc: Sequence[ir.Value], read: Sequence[ir.Value] = ()
) -> list[ir.Value]:
    """Wait until at most so many groups are under way; return the accumulators of the others.

    Accumulators to which a group under way adds are not among them: nothing may touch those.
    `read` are registers of lhs, which keep what they hold until then.
    """
    return _tied(builder, f"wgmma.wait_group.sync.aligned {groups};", acc, read)


def schedule_behind(builder: ir.IRBuilder, bits: ir.Value) -> None:
    """Have ptxas compute bits (i32) before a wait that comes next.

    It takes `wait_group` for an instruction that depends on nothing but its products, and moves it
    up, before what could be done meanwhile; but not before another one that waits. This one waits a
    nanosecond if the bits are some number.
    """
    text = "{ .reg .pred met; setp.eq.b32 met, $0, 0x7fc0dead; @met nanosleep.u32 1; }"
    builder.asm(ir.FunctionType(ir.VoidType(), [bits.type]), text, "r", [bits], True)


def fence_proxy(builder: ir.IRBuilder) -> None:
    """Order this thread's accesses of shared memory before later ones of the async proxy."""
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.asm(kind, "fence.proxy.async.shared::cta;", "~{memory}", [], True)


def _tied(
    builder: ir.IRBuilder,
    text: str,
    acc: Sequence[ir.Value],
    arguments: Sequence[ir.Value],
    fresh: bool = False,
) -> list[ir.Value]:
    """Emit assembly that changes the registers of an accumulator in place, or sets `fresh` ones."""
    kinds = [each.type for each in acc]
    constraints = [f"={'&' if fresh else ''}{_CONSTRAINTS[kind]}" for kind in kinds]
    operands = list(arguments)
    if not fresh:
        constraints += [str(index) for index in range(len(kinds))]
        operands = [*acc, *arguments]
    constraints += [_CONSTRAINTS[each.type] for each in arguments]
    constraints.append("~{memory}")
    result = ir.LiteralStructType(kinds) if kinds else ir.VoidType()
    function = ir.FunctionType(result, [each.type for each in operands])
    made = builder.asm(function, text, ",".join(constraints), operands, True)
    made.attributes.add("convergent")  # all warps of the group execute it together
    return [builder.extract_value(made, index) for index in range(len(kinds))]
