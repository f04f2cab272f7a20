"""What the lanes of a warp do together: elect one, wait for each other, hand over registers."""

from __future__ import annotations

from llvmlite import ir

_VOID = ir.VoidType()
_I32 = ir.IntType(32)


def elected(builder: ir.IRBuilder) -> ir.Value:
    """Return in one lane of the warp 1, in all others 0 (i1)."""
    text = "{ .reg .pred one; elect.sync _|one, 0xffffffff; selp.b32 $0, 1, 0, one; }"
    found = builder.asm(ir.FunctionType(_I32, []), text, "=r", [], True)
    found.attributes.add("convergent")
    return builder.icmp_unsigned("!=", found, ir.Constant(_I32, 0))


def converge(builder: ir.IRBuilder) -> None:
    """Have the lanes of a warp go on together: others may have gone ahead of the one elected."""
    text = builder.asm(ir.FunctionType(_VOID, []), "bar.warp.sync 0xffffffff;", "", [], True)
    text.attributes.add("convergent")


def set_registers(builder: ir.IRBuilder, number: int, frees: bool) -> None:
    """Give registers of each thread up until it has that many, or wait until it has them.

    All warps of a warpgroup execute it (PTX ISA, "setmaxnreg").
    """
    way = "dec" if frees else "inc"
    text = f"setmaxnreg.{way}.sync.aligned.u32 {number};"
    builder.asm(ir.FunctionType(ir.VoidType(), []), text, "", [], True).attributes.add("convergent")
