"""The state of lowering one kernel: what the lowerings of single ops read and update.

A `Lowering` has the builder, the values lowered so far, and the addresses of tiles in memory. It
does not know how an op is lowered, so that the chapters can import it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from llvmlite import ir

from tileir.codegen.analysis.source_names import kernel_name
from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.host.planning.tiles import is_single
from tileir.codegen.host.running.context import ALIGNMENT, LaunchContext
from tileir.codegen.kernel import KernelIR
from tileir.codegen.llvm.folding_builder import FoldingBuilder
from tileir.codegen.llvm.function import Function
from tileir.codegen.llvm.unused import drop_unused
from tileir.codegen.scalar.constants import constant, in_memory
from tileir.codegen.scalar.types import (
    ADDRESS,
    BYTE,
    OPAQUE,
    from_memory,
    llvm_type,
    memory_bytes,
    memory_type,
    to_memory,
)
from tileir.ir import Block, Op, Region, Value
from tileir.types import Element

from .entry import argument_offsets, llvm_name
from .loops import nest
from .position import INDEX, ZERO, Position
from .views import Tensor

WORD = ir.IntType(32)
BLOCK = ir.FunctionType(ir.VoidType(), [OPAQUE, *[WORD] * 6, OPAQUE, OPAQUE])
REPORT = ir.FunctionType(ir.VoidType(), [WORD, INDEX, OPAQUE, WORD, WORD, WORD])


class DirectTile(Protocol):
    """A tile that is read from its tensor.

    It has `strides` in elements, and its first element at `origin`; `inner` is the dimension whose
    elements are contiguous in memory, if known.
    """

    strides: list[ir.Value]
    origin: ir.Value

    @property
    def inner(self) -> int | None: ...

    def load(self, position: Position) -> ir.Value:
        """Load the element at a position."""
        ...


@dataclass(slots=True)
class Enclosing:
    """An op whose region is being lowered: where its terminators branch to, and the slots they set.

    `latch` is the block that starts the next iteration, None for an `if`. `carried` and `results`
    map the number of a value to the stack slot of a single element.
    """

    after: ir.Block
    latch: ir.Block | None = None
    carried: dict[int, ir.Value] = field(default_factory=dict)
    results: dict[int, ir.Value] = field(default_factory=dict)


class Lowering(ABC):
    """The function that runs one tile block, under construction.

    `singles` has the LLVM value of tiles with one element, `tensors` the run-time form of views,
    both by the id of the value; `storage` says which tiles have buffers. `direct` has the tiles
    that loops read from tensors although they have buffers. `enclosing` are the ops
    around the current one that terminators leave, `exit` is the block that returns. `sites` lists
    what the kernel may report at run time. `streams`: whether it stores past the caches.
    `loads_of` and `loop_ops` are what `ahead` has found out.
    """

    looks_at_elements = False
    """Whether single elements are looked at on their way: then no vectors of them are moved, and
    nothing is read ahead of time."""
    counts_elements = False
    """Whether accesses to elements are counted: then none is made for two that share a byte."""

    def __init__(self, module: ir.Module, kernel: KernelIR, storage: Storage) -> None:
        """Begin the function that runs a block, with nothing in it but its entry and its exit."""
        self.kernel = kernel
        self.storage = storage
        self.singles: dict[int, ir.Value] = {}
        self.tensors: dict[int, Tensor] = {}
        self.direct: dict[int, DirectTile] = {}
        self.enclosing: list[Enclosing] = []
        self.sites: list[dict[str, Any]] = []
        self.streams = False
        self.loads_of: dict[Op, list[Op]] = {}
        self.loop_ops: dict[Block, list[Op]] = {}
        self._tables: dict[int, ir.GlobalVariable] = {}
        self._slots: dict[int, ir.Value] = {}
        self._shared: dict[tuple[str, Hashable], ir.Value] = {}
        self._scopes = 0
        self._written: tuple[tuple[int, ...], ir.MDValue] | None = None
        self._stack: ir.MDValue | None = None
        self.function = Function(module, BLOCK, llvm_name(kernel.symbol, "block"))
        self.function.linkage = "internal"
        self.function.attributes.add("noinline")
        self.function.attributes.add("nounwind")
        # By default LLVM uses half of the widest registers. The attribute set's own `add` rejects
        # attributes with values.
        bits = VectorUnit.of_host().bits
        set.add(self.function.attributes, f'"prefer-vector-width"="{bits}"')
        self._workspace, self._context = self.function.args[-2:]
        if not any(op.name == "alloca" for op in kernel.walk()):
            self._workspace.add_attribute("noalias")
        self._entry = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.builder = FoldingBuilder(self.function.append_basic_block("start"))
        self.exit = self.function.append_basic_block("exit")

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
        start = self.builder.block
        self.lower_block(self.kernel.body.block)
        leaving = ir.IRBuilder(self.exit)
        self.leave(leaving)
        leaving.ret_void()
        self._entry.branch(start)
        drop_unused(self.function)
        return self.function

    @property
    def entry(self) -> ir.IRBuilder:
        """The builder of what is done first, before any op."""
        return self._entry

    @property
    def counters(self) -> Mapping[str, Any] | None:
        """What the kernel counts while it runs, once it is lowered; None if it does not count."""
        return None

    def leave(self, builder: ir.IRBuilder) -> None:
        """Emit what a block does when it ends; nothing, unless it counts."""
        return

    @property
    @abstractmethod
    def may_stream(self) -> bool:
        """Whether stores may go past the caches; see `streaming`."""

    @abstractmethod
    def lower_op(self, op: Op) -> None:
        """Lower one op at the builder's insertion point."""

    def lower_block(self, block: Block) -> None:
        """Lower the ops of a block, its terminator included."""
        for op in block.ops:
            self.lower_op(op)

    def inline_region(self, region: Region, arguments: list[ir.Value]) -> list[ir.Value]:
        """Lower the region of a reduction at the insertion point; return the values it yields."""
        block = region.block
        for value, argument in zip(block.arguments, arguments, strict=True):
            self.singles[id(value)] = argument
        for op in block.ops[:-1]:
            self.lower_op(op)
        return [self.single(value) for value in block.ops[-1].operand_list()]

    @abstractmethod
    def emit(self, op: Op, arguments: list[ir.Value], position: Position) -> ir.Value:
        """Emit one element of an element-wise op's result."""

    @abstractmethod
    def assumed(self, op: Op, value: ir.Value, position: Position) -> None:
        """Called for each element that an assume op makes a statement about; may emit a check."""

    @abstractmethod
    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        """Return the address at which to access `size` bytes, for the element at a position.

        It is the given one unless a check redirects it.
        """

    def single(self, value: Value) -> ir.Value:
        """Return the LLVM value of a tile with one element."""
        return self.singles[id(value)]

    def kind(self, value: Value) -> ir.Type:
        """Return the LLVM type of one element of a tile."""
        return llvm_type(value.type.element)

    def slot(self, kind: ir.Type, initial: ir.Value | None = None) -> ir.Value:
        """Allocate a variable on the stack; if it has an initial value, a block begins with it."""
        slot = self._entry.alloca(kind)
        if initial is not None:
            self._entry.store(initial, slot)
        return slot

    def shared_slot(self, kind: ir.Type, key: Hashable, align: int | None = None) -> ir.Value:
        """Return the stack variable of that type that all callers with the same key share.

        `align` is in bytes, by default what the type needs.
        """
        shared_key = str(kind), key
        if shared_key not in self._shared:
            slot = self._shared[shared_key] = self.slot(kind)
            slot.align = align
        return self._shared[shared_key]

    def slice_starts(self, op: Op, whole: Value, part: Value) -> list[ir.Value]:
        """Return the indices in the tile `whole` at which the slice `part` of an op starts.

        The op's own indices are unsigned and count slices; one that is out of range, which Tile IR
        leaves undefined, is wrapped so that no access is outside the tile.
        """
        builder, starts = self.builder, []
        extents = zip(whole.type.shape, part.type.shape, strict=True)
        for index, (extent, step) in zip(op.operands["indices"], extents, strict=True):
            number = builder.zext(self.single(index), INDEX)
            number = builder.and_(number, ir.Constant(INDEX, extent // step - 1))
            starts.append(builder.mul(number, ir.Constant(INDEX, step)))
        return starts

    def constant_element(self, op: Op, position: Position) -> ir.Value:
        """Emit an element of a constant."""
        value = op.attributes["value"]
        element = op.result.type.element
        if value.is_splat:
            return constant(element, value.bits())
        table, stored = self._table(op)
        address = self.builder.gep(table, [position.linear], inbounds=True, source_etype=stored)
        return from_memory(self.builder, self.builder.load(address, typ=stored), element)

    def _table(self, op: Op) -> tuple[ir.GlobalVariable, ir.Type]:
        """Return the global variable with a dense constant's elements, and the type of one."""
        value, element = op.attributes["value"], op.result.type.element
        stored = memory_type(element)
        if id(op) not in self._tables:
            kind = ir.ArrayType(BYTE, value.type.size * memory_bytes(element))
            name = self.function.module.get_unique_name(llvm_name(self.kernel.symbol, "table"))
            table = ir.GlobalVariable(self.function.module, kind, name)
            table.linkage = "internal"
            table.global_constant = True
            table.align = ALIGNMENT
            table.initializer = ir.Constant(kind, in_memory(value))
            self._tables[id(op)] = table
        return self._tables[id(op)], stored

    def buffer(self, value: Value) -> int:
        """Return the offset in the workspace of a kept tile: row-major, elements as in memory."""
        return self.storage.offsets[id(value)]

    def temporary(self, op: Op, number: int) -> int:
        """Return the offset in the workspace of a temporary that the op's row asked for."""
        return self.storage.temporaries[id(op)][number]

    def address(self, offset: int) -> ir.Value:
        """Return the address of an offset in the workspace."""
        return self._byte_offset(self._workspace, offset)

    def copy(self, target: int, source: int, value: Value) -> None:
        """Copy the buffer at `source`, which holds a tile like `value`, to the one at `target`."""
        element = value.type.element
        with nest(self.builder, value.type.shape) as position:
            size, kind = memory_bytes(element), memory_type(element)
            address = self._element_address(source, position, element)
            stored = self.builder.load(address, typ=kind, align=size)
            address = self._element_address(target, position, element)
            self.builder.store(stored, address, align=size)

    def load_element(self, value: Value, position: Position) -> ir.Value:
        """Load an element of a kept tile."""
        element = value.type.element
        address = self._element_address(self.buffer(value), position, element)
        stored = self.builder.load(address, typ=memory_type(element), align=memory_bytes(element))
        self.mark_as_read(stored, value)
        self.mark_as_written(stored, value)
        return from_memory(self.builder, stored, element)

    def mark_as_read(
        self, stored: ir.Instruction, value: Value, *scopes: ir.MDValue | None
    ) -> None:
        """Mark a load of an element of a tile as not aliasing what the current loop fills.

        Nor, if any are given, what has these alias scopes.
        """
        found = [scope for scope in scopes if scope is not None]
        if self._written and self.buffer(value) not in self._written[0]:
            found.append(self._written[1])
        if found:
            each = [scope for node in found for scope in node.operands]
            together = self.function.module.add_metadata(each)
            stored.set_metadata("noalias", found[0] if len(found) == 1 else together)

    def store_element(self, value: Value, position: Position, result: ir.Value) -> None:
        """Store an element of a tile that an op computes."""
        element = value.type.element
        if is_single(value):
            stored = to_memory(self.builder, result, element)
            self.builder.store(stored, self._result_slot(value))
        else:
            self.store_at(self.buffer(value), position, result, element)

    def store_at(self, offset: int, position: Position, result: ir.Value, element: Element) -> None:
        """Store an element of that type at a position of the tile in the buffer at an offset."""
        stored = self.builder.store(
            to_memory(self.builder, result, element),
            self._element_address(offset, position, element),
            align=memory_bytes(element),
        )
        if self._written and offset in self._written[0]:
            stored.set_metadata("alias.scope", self._written[1])

    def mark_as_written(self, stored: ir.Instruction, value: Value) -> None:
        """Mark an access of the buffer of a tile, if the current loop fills that.

        Loads of it, too: LLVM asks of all accesses that may be to the same place as a store.
        """
        if self._written and self.buffer(value) in self._written[0]:
            stored.set_metadata("alias.scope", self._written[1])

    @contextmanager
    def writing(self, *offsets: int) -> Iterator[None]:
        """Code inside is a loop that fills the buffers at these offsets, element by element.

        Other buffers are marked as not aliasing them, which LLVM cannot see: all of them are parts
        of the workspace.
        """
        self._written, before = (offsets, self.new_scope()), self._written
        yield
        self._written = before

    def finish(self, value: Value) -> None:
        """End the computation of a tile; a single element becomes a plain LLVM value."""
        if is_single(value):
            kind = memory_type(value.type.element)
            stored = self.builder.load(self._result_slot(value), typ=kind)
            self.singles[id(value)] = from_memory(self.builder, stored, value.type.element)

    def _result_slot(self, value: Value) -> ir.Value:
        if id(value) not in self._slots:
            self._slots[id(value)] = self.slot(memory_type(value.type.element))
        return self._slots[id(value)]

    @property
    def stack(self) -> ir.MDValue:
        """The alias scope of arrays on the stack."""
        if self._stack is None:
            self._stack = self.new_scope()
        return self._stack

    def new_scope(self) -> ir.MDValue:
        """Make an alias scope: metadata for memory that nothing else in a loop overlaps."""
        module = self.function.module
        domain = module.add_metadata(["tileir"])
        self._scopes += 1
        scope = module.add_metadata([llvm_name(self.kernel.symbol, str(self._scopes)), domain])
        return module.add_metadata([scope])

    def context_field(self, name: str) -> ir.Value:
        """Return the address of a field of the launch's context."""
        return self._byte_offset(self._context, getattr(LaunchContext, name).offset)

    def new_site(self, kind: str, op: Op, **details: Any) -> int:
        """Add a site, a point at which the kernel may report; `details` are for its handler.

        Return its number.
        """
        known = {
            "kind": kind,
            "op": op.name,
            "kernel": self.kernel.symbol,
            "function": kernel_name(self.kernel.function),
            "location": op.location_text,
        }
        self.sites.append({**known, **details})
        return len(self.sites) - 1

    def report(self, site: int, index: ir.Value, data: ir.Value | None = None) -> None:
        """Emit a call of the launch's callback with a site, an element's number and data."""
        builder = self.builder
        address = self.context_field("report")
        # llvmlite takes the signature of a call from the pointer's type.
        function = builder.load(address, typ=REPORT.as_pointer(), align=8)
        data = ir.Constant(OPAQUE, None) if data is None else data
        builder.call(function, [ir.Constant(WORD, site), index, data, *self.function.args[1:4]])

    def pass_on(self, values: Sequence[ir.Value]) -> ir.Value | None:
        """Store integers of up to 64 bits for a handler, 8 bytes each; return their address."""
        if not values:
            return None
        builder = self.builder
        kind = ir.ArrayType(ADDRESS, len(values))
        buffer = self.slot(kind)
        for number, value in enumerate(values):
            wide = value if value.type == ADDRESS else builder.zext(value, ADDRESS)
            builder.store(wide, builder.gep(buffer, [ZERO, ir.Constant(INDEX, number)]))
        return builder.inttoptr(builder.ptrtoint(buffer, ADDRESS), OPAQUE)

    def _element_address(self, offset: int, position: Position, element: Element) -> ir.Value:
        stored = memory_type(element)
        return self.builder.gep(
            self.address(offset), [position.linear], inbounds=True, source_etype=stored
        )

    def _byte_offset(self, base: ir.Value, offset: int) -> ir.Value:
        step = ir.Constant(WORD, offset)
        if offset >= 1 << 31:
            step = ir.Constant(INDEX, offset)
        return self.builder.gep(base, [step], inbounds=True, source_etype=BYTE)
