"""A kernel as one LLVM function that runs one tile block.

`void <symbol>.block(ptr arguments, i32 x, i32 y, i32 z, i32 size x, i32 size y, i32 size z, ptr
workspace)`. The arguments lie in a struct with natural alignment, in the order of the parameters.
Tiles of one element are computed where their op stands; see `storage` for the others.
"""

from __future__ import annotations

from urllib.parse import quote

from llvmlite import ir

from tileir.ir import Op, Value
from tileir.types import Tile

from ..kernel import Kernel
from ..scalar.constants import constant
from ..scalar.elementwise import ELEMENTWISE, emit
from ..scalar.types import OPAQUE, from_memory, memory_bytes, memory_type, to_memory
from . import memory, views
from .evaluate import Evaluator
from .loops import nest
from .position import ZERO, Position
from .storage import ALIGNMENT, Storage, is_single

BYTE = ir.IntType(8)
WORD = ir.IntType(32)
_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '%"\\')
"""Characters of symbols that LLVM gets as they are."""

BLOCK = ir.FunctionType(ir.VoidType(), [OPAQUE, *[WORD] * 6, OPAQUE])


def llvm_name(symbol: str, part: str) -> str:
    """The name of something made for an entry: ASCII, as llvmlite wants it, never ambiguous."""
    name = quote(symbol, safe=_PLAIN, errors="backslashreplace")
    if name.startswith("llvm."):  # LLVM keeps these names to itself
        name = f"%6C{name[1:]}"
    return f"{name}.{part}"


def argument_offsets(kernel: Kernel) -> tuple[list[int], int]:
    """Where each argument lies in the struct, and the size of the struct."""
    offsets, end = [], 0
    for value in kernel.parameters:
        size = memory_bytes(value.type.element)
        end = -(-end // size) * size
        offsets.append(end)
        end += size
    return offsets, end


class BlockLowering:
    """The function under construction.

    `singles` has the LLVM value of tiles with one element, `tensors` what views are at run time,
    both by the id of the value; `storage` says which tiles have buffers. `direct` has the windows
    of tiles that the current loop reads from tensors although they have buffers.
    """

    def __init__(self, module: ir.Module, kernel: Kernel, storage: Storage) -> None:
        self.kernel = kernel
        self.storage = storage
        self.singles: dict[int, ir.Value] = {}
        self.tensors: dict[int, views.Tensor] = {}
        self.direct: dict[int, views.Window] = {}
        self._tables: dict[int, ir.GlobalVariable] = {}
        self._scopes = 0
        self.function = ir.Function(module, BLOCK, llvm_name(kernel.symbol, "block"))
        self.function.linkage = "internal"
        self.function.attributes.add("noinline")
        self.function.attributes.add("nounwind")
        self._workspace = self.function.args[-1]
        self._workspace.add_attribute("noalias")
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.spare = _zeros(module)

    def run(self) -> ir.Function:
        """Lower every op; return the finished function."""
        offsets, _ = argument_offsets(self.kernel)
        arguments = self.function.args[0]
        for value, offset in zip(self.kernel.parameters, offsets, strict=True):
            element = value.type.element
            stored = memory_type(element)
            address = self._byte_offset(arguments, offset)
            loaded = self.builder.load(address, typ=stored, align=memory_bytes(element))
            self.singles[id(value)] = from_memory(self.builder, loaded, element)
        for op in self.kernel.body.block.ops:
            _LOWER.get(op.name, _tile)(self, op)
        self.builder.ret_void()
        return self.function

    def single(self, value: Value) -> ir.Value:
        """The LLVM value of a tile with one element."""
        return self.singles[id(value)]

    def table(self, op: Op) -> tuple[ir.GlobalVariable, ir.Type]:
        """The numbers of a dense constant in memory, and the type of one."""
        value, element = op.attributes["value"], op.result.type.element
        stored = memory_type(element)
        if id(op) not in self._tables:
            kind = ir.ArrayType(BYTE, value.type.size * memory_bytes(element))
            name = self.function.module.get_unique_name(llvm_name(self.kernel.symbol, "table"))
            table = ir.GlobalVariable(self.function.module, kind, name)
            table.linkage = "internal"
            table.global_constant = True
            table.align = ALIGNMENT
            table.initializer = ir.Constant(kind, _numbers(value, element))
            self._tables[id(op)] = table
        return self._tables[id(op)], stored

    def load_element(self, value: Value, position: Position) -> ir.Value:
        """An element of a stored tile."""
        element = value.type.element
        address = self._element_address(value, position)
        stored = self.builder.load(address, typ=memory_type(element), align=memory_bytes(element))
        return from_memory(self.builder, stored, element)

    def store_element(self, value: Value, position: Position, stored: ir.Value) -> None:
        """Set an element of a stored tile."""
        address = self._element_address(value, position)
        self.builder.store(stored, address, align=memory_bytes(value.type.element))

    def new_scope(self) -> ir.MDValue:
        """A name for memory that nothing else in a loop overlaps, in LLVM's terms."""
        module = self.function.module
        domain = module.add_metadata(["tileir"])
        self._scopes += 1
        scope = module.add_metadata([llvm_name(self.kernel.symbol, str(self._scopes)), domain])
        return module.add_metadata([scope])

    def finish(self, value: Value) -> None:
        """A stored tile is complete; one element is from now on a plain value."""
        if is_single(value):
            shape = value.type.shape
            position = Position(self.builder, shape, [ZERO] * len(shape))
            self.singles[id(value)] = self.load_element(value, position)

    def _element_address(self, value: Value, position: Position) -> ir.Value:
        buffer = self._byte_offset(self._workspace, self.storage.offsets[id(value)])
        stored = memory_type(value.type.element)
        return self.builder.gep(buffer, [position.linear], inbounds=True, source_etype=stored)

    def _byte_offset(self, base: ir.Value, offset: int) -> ir.Value:
        step = ir.Constant(WORD, offset)
        if offset >= 1 << 31:
            step = ir.Constant(ir.IntType(64), offset)
        return self.builder.gep(base, [step], inbounds=True, source_etype=BYTE)


def _zeros(module: ir.Module) -> ir.GlobalVariable:
    """Constant memory for loads that the mask leaves out."""
    name = "tileir.zeros"
    if name in module.globals:
        return module.globals[name]
    kind = ir.ArrayType(BYTE, 8)
    zeros = ir.GlobalVariable(module, kind, name)
    zeros.linkage = "internal"
    zeros.global_constant = True
    zeros.align = 8
    zeros.initializer = ir.Constant(kind, None)
    return zeros


def _numbers(value: object, element: object) -> bytearray:
    """The constant's elements, each as wide as in memory."""
    width = memory_bytes(element)
    if len(value.data) == value.type.size * width:
        return bytearray(value.data)
    data = bytearray()
    for index in range(value.type.size):
        bits = value.bits(index)
        if element.name == "tf32":
            bits <<= 13
        data += bits.to_bytes(width, "little")
    return data


def _tile(lowering: BlockLowering, op: Op) -> None:
    """An op on tiles: now if it has one element or a buffer, otherwise when it is asked for."""
    if op.name not in ELEMENTWISE:
        if is_single(op.result):
            lowering.singles[id(op.result)] = _single(lowering, op)
        return
    if is_single(op.result):
        arguments = [lowering.single(value) for value in op.operand_list()]
        lowering.singles[id(op.result)] = emit(lowering.builder, op, arguments)
    elif op.result in lowering.storage:
        memory.with_deferred(lowering, op, lambda *_: _loop(lowering, op))


def _loop(lowering: BlockLowering, op: Op) -> None:
    """The tile of an element-wise op, into its buffer."""
    with nest(lowering.builder, op.result.type.shape) as position:
        value = Evaluator(lowering, position).compute(op)
        stored = to_memory(lowering.builder, value, op.result.type.element)
        lowering.store_element(op.result, position, stored)


def _single(lowering: BlockLowering, op: Op) -> ir.Value:
    """The element of a constant, iota or reshaped tile that has only one."""
    if op.name == "constant":
        return constant(op.result.type.element, op.attributes["value"].bits())
    if op.name == "iota":
        return constant(op.result.type.element, 0)
    (source,) = op.operand_list()
    return lowering.single(source)


def _assume(lowering: BlockLowering, op: Op) -> None:
    source = op.operands["value"]
    if isinstance(source.type, Tile):
        _tile(lowering, op)
    else:
        lowering.tensors[id(op.result)] = lowering.tensors[id(source)]


def _make_tensor_view(lowering: BlockLowering, op: Op) -> None:
    lowering.tensors[id(op.result)] = views.make_tensor(lowering, op)


def _make_partition_view(lowering: BlockLowering, op: Op) -> None:
    lowering.tensors[id(op.result)] = lowering.tensors[id(op.operands["tensor_view"])]


def _get_tensor_shape(lowering: BlockLowering, op: Op) -> None:
    _extents(lowering, op, lowering.tensors[id(op.operands["src"])].shape)


def _get_index_space_shape(lowering: BlockLowering, op: Op) -> None:
    _extents(lowering, op, views.index_space(lowering, op))


def _extents(lowering: BlockLowering, op: Op, extents: tuple[ir.Value, ...]) -> None:
    for result, extent in zip(op.results, extents, strict=True):
        kind = memory_type(result.type.element)
        value = extent if extent.type == kind else lowering.builder.trunc(extent, kind)
        lowering.singles[id(result)] = from_memory(lowering.builder, value, result.type.element)


def _get_tile_block_id(lowering: BlockLowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[1:4], strict=True):
        lowering.singles[id(result)] = argument


def _get_num_tile_blocks(lowering: BlockLowering, op: Op) -> None:
    for result, argument in zip(op.results, lowering.function.args[4:7], strict=True):
        lowering.singles[id(result)] = argument


def _nothing(lowering: BlockLowering, op: Op) -> None:
    """Tokens are the order of the program, and the last op returns."""


_LOWER = {
    "assume": _assume,
    "get_index_space_shape": _get_index_space_shape,
    "get_num_tile_blocks": _get_num_tile_blocks,
    "get_tensor_shape": _get_tensor_shape,
    "get_tile_block_id": _get_tile_block_id,
    "join_tokens": _nothing,
    "load_ptr_tko": memory.load_pointers,
    "load_view_tko": memory.load_view,
    "make_partition_view": _make_partition_view,
    "make_tensor_view": _make_tensor_view,
    "make_token": _nothing,
    "return": _nothing,
    "store_ptr_tko": memory.store_pointers,
    "store_view_tko": memory.store_view,
}
