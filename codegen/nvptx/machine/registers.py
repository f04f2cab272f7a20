"""Registers that the warps of a block hand to each other."""

from __future__ import annotations

from llvmlite import ir


def set_registers(builder: ir.IRBuilder, number: int, frees: bool) -> None:
    """Give registers of each thread up until it has that many, or wait until it has them.

    All warps of a warpgroup execute it (PTX ISA, "setmaxnreg").
    """
    way = "dec" if frees else "inc"
    text = f"setmaxnreg.{way}.sync.aligned.u32 {number};"
    builder.asm(ir.FunctionType(ir.VoidType(), []), text, "", [], True).attributes.add("convergent")
