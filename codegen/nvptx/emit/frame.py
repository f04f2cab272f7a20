"""The frame of a kernel in LLVM IR: signature, attributes, parameters, entry and exit."""

from __future__ import annotations

from llvmlite import ir

from tileir.codegen.block.areas import alignment as area_alignment
from tileir.codegen.kernel import KernelIR
from tileir.codegen.layouts.linear_layout import LANE_BITS
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.llvm.function import Function
from tileir.codegen.llvm.unused import drop_unused
from tileir.codegen.nvptx.launch.contract import Contract, directives
from tileir.codegen.nvptx.launch.line_table import LineTable
from tileir.codegen.nvptx.launch.tensor_maps import ALIGNMENT as ALIGNMENT_OF_MAPS
from tileir.codegen.nvptx.launch.tensor_maps import BYTES
from tileir.codegen.nvptx.machine.access import integer_type, value_of
from tileir.ir import Body

from .context import I64, Context
from .grid import special_register
from .lowering import Lowering
from .sequences.shared_symbol import ALIGNMENT, NAME

_TENSOR_MAP = ir.ArrayType(ir.IntType(8), BYTES)


def declare_kernel(module: ir.Module, kernel: KernelIR, maps: int = 0) -> None:
    """Declare the entry in the LLVM module, before another name can clash with it.

    Behind the parameters, it takes so many tensor `maps`.
    """
    kinds = [integer_type(value.type.element) for value in kernel.parameters]
    kinds += [_TENSOR_MAP.as_pointer()] * maps
    function = Function(module, ir.FunctionType(ir.VoidType(), kinds), kernel.symbol)
    for argument in function.args[len(kernel.parameters) :]:
        set.add(argument.attributes, f"byval({_TENSOR_MAP}) align {ALIGNMENT_OF_MAPS}")
        set.add(argument.attributes, '"nvvm.grid_constant"')


def lower_kernel(
    module: ir.Module,
    kernel: KernelIR,
    contract: Contract,
    threads: int,
    lines: LineTable | None = None,
) -> None:
    """Define the entry that `declare_kernel` has declared, from a body in the block IR.

    Tiles are spread over so many `threads`. With `lines`, instructions carry the numbers of
    source locations.
    """
    function = module.globals[kernel.symbol]
    function.calling_convention = "ptx_kernel"
    for name, value in directives(contract):
        # llvmlite's own `add` refuses attributes with values.
        set.add(function.attributes, f'"{name}"="{value}"')
    builder = FoldingBuilder(function.append_basic_block("entry"))
    if lines is not None:
        builder.debug_metadata = lines.enter(function, kernel)
    lowering = Lowering(lines)
    in_block = contract["num_warps"] << LANE_BITS
    thread = special_register(builder, "tid.x", (0, in_block))
    exit = function.append_basic_block("exit")
    ctx = Context(builder, thread, threads, lowering.block, lowering.op, exit)
    ctx.tensor_maps = [
        builder.ptrtoint(each, I64) for each in function.args[len(kernel.parameters) :]
    ]
    for value, argument in zip(kernel.parameters, function.args, strict=False):
        ctx.define_scalar(value, value_of(builder, argument, value.type.element))
    lowering.block(ctx, kernel.body.block)
    builder.position_at_end(ctx.exit)
    builder.ret_void()
    drop_unused(function)
    memory = module.globals.get(NAME)
    if memory is not None:
        memory.align = max(memory.align, shared_alignment(kernel.body))


def shared_alignment(body: Body) -> int:
    """Return the alignment of the start of shared memory, in bytes, that a kernel needs."""
    alignment = ALIGNMENT
    for op in body.walk():
        if op.name == "alloca" and op.attributes["offset"] is not None:
            alignment = max(alignment, op.attributes["alignment"])
        elif op.name == "shared_alloc":
            alignment = max(alignment, area_alignment(op))
    return alignment
