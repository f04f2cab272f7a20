"""A tile block under construction, as those see it who lower its ops.

A `Lowering` knows where the builder stands, what has been lowered, and where everything lies in
memory. How an op is lowered is no business of this file, so that the chapters can stand on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from llvmlite import ir

from tileir.codegen.host.machine.vector_unit import VectorUnit
from tileir.codegen.host.planning.buffers import Storage
from tileir.codegen.host.planning.tiles import is_single
from tileir.codegen.host.running.context import ALIGNMENT, Context
from tileir.codegen.kernel import KernelIR
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

    `inner` is the dimension whose elements lie side by side in memory, if known.
    """

    @property
    def inner(self) -> int | None: ...

    def load(self, position: Position) -> ir.Value:
        """The element at a position."""
        ...


@dataclass(slots=True)
class Enclosing:
    """An op whose region is being lowered: where its terminators go, and which slots they set.

    `again` is where the next iteration starts, None for an `if`. `carried` and `results` map a
    number to the stack slot of a single element.
    """

    after: ir.Block
    again: ir.Block | None = None
    carried: dict[int, ir.Value] = field(default_factory=dict)
    results: dict[int, ir.Value] = field(default_factory=dict)


class Lowering(ABC):
    """The function of a block under construction.

    `singles` has the LLVM value of tiles with one element, `tensors` what views are at run time,
    both by the id of the value; `storage` says which tiles have buffers. `direct` has the tiles
    that the current loop reads from tensors although they have buffers. `enclosing` are the ops
    around the current one that terminators leave, `exit` is where the block ends. `sites` lists
    what the kernel may report at run time.
    """

    def __init__(self, module: ir.Module, kernel: KernelIR, storage: Storage) -> None:
        self.kernel = kernel
        self.storage = storage
        self.singles: dict[int, ir.Value] = {}
        self.tensors: dict[int, Tensor] = {}
        self.direct: dict[int, DirectTile] = {}
        self.enclosing: list[Enclosing] = []
        self.sites: list[dict[str, Any]] = []
        self._tables: dict[int, ir.GlobalVariable] = {}
        self._slots: dict[int, ir.Value] = {}
        self._shared: dict[tuple[str, Hashable], ir.Value] = {}
        self._scopes = 0
        self._written: tuple[tuple[int, ...], ir.MDValue] | None = None
        self.function = ir.Function(module, BLOCK, llvm_name(kernel.symbol, "block"))
        self.function.linkage = "internal"
        self.function.attributes.add("noinline")
        self.function.attributes.add("nounwind")
        # LLVM would leave half of the widest registers unused. The set's own `add` knows no
        # attributes with values.
        bits = VectorUnit.of_host().bits
        set.add(self.function.attributes, f'"prefer-vector-width"="{bits}"')
        self._workspace, self._context = self.function.args[-2:]
        if not any(op.name == "alloca" for op in kernel.walk()):
            self._workspace.add_attribute("noalias")
        self._entry = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.builder = ir.IRBuilder(self.function.append_basic_block("start"))
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
        self._entry.branch(start)
        ir.IRBuilder(self.exit).ret_void()
        return self.function

    @abstractmethod
    def lower_op(self, op: Op) -> None:
        """Lower one op where the builder stands."""

    def lower_block(self, block: Block) -> None:
        """Lower the ops of a block, its terminator included."""
        for op in block.ops:
            self.lower_op(op)

    def inline_region(self, region: Region, arguments: list[ir.Value]) -> list[ir.Value]:
        """Lower the region of a reduction where the builder stands; what it yields."""
        block = region.block
        for value, argument in zip(block.arguments, arguments, strict=True):
            self.singles[id(value)] = argument
        for op in block.ops[:-1]:
            self.lower_op(op)
        return [self.single(value) for value in block.ops[-1].operand_list()]

    @abstractmethod
    def emit(self, op: Op, arguments: list[ir.Value], position: Position) -> ir.Value:
        """One element of an element-wise op's result."""

    @abstractmethod
    def assumed(self, op: Op, value: ir.Value, position: Position) -> None:
        """See to one element of what an assumption is about."""

    @abstractmethod
    def checked(self, op: Op, address: ir.Value, size: int, position: Position) -> ir.Value:
        """Where to make an access of `size` bytes at an address, for the element at a position."""

    def single(self, value: Value) -> ir.Value:
        """The LLVM value of a tile with one element."""
        return self.singles[id(value)]

    def kind(self, value: Value) -> ir.Type:
        """The LLVM type of one element of a tile."""
        return llvm_type(value.type.element)

    def slot(self, kind: ir.Type) -> ir.Value:
        """A variable on the stack."""
        return self._entry.alloca(kind)

    def shared_slot(self, kind: ir.Type, key: Hashable) -> ir.Value:
        """The variable of that type on the stack that all who give the same key use in turn."""
        place = str(kind), key
        if place not in self._shared:
            self._shared[place] = self.slot(kind)
        return self._shared[place]

    def slice_starts(self, op: Op, whole: Value, part: Value) -> list[ir.Value]:
        """Where the slice `part` that an op's indices name starts in the tile `whole`.

        Indices are unsigned; one that is out of range, which Tile IR leaves undefined, is wrapped
        so that nothing outside of the tile is touched.
        """
        builder, starts = self.builder, []
        extents = zip(whole.type.shape, part.type.shape, strict=True)
        for index, (extent, step) in zip(op.operands["indices"], extents, strict=True):
            number = builder.zext(self.single(index), INDEX)
            number = builder.and_(number, ir.Constant(INDEX, extent // step - 1))
            starts.append(builder.mul(number, ir.Constant(INDEX, step)))
        return starts

    def constant_element(self, op: Op, position: Position) -> ir.Value:
        """An element of a constant."""
        value = op.attributes["value"]
        element = op.result.type.element
        if value.is_splat:
            return constant(element, value.bits())
        table, stored = self._table(op)
        address = self.builder.gep(table, [position.linear], inbounds=True, source_etype=stored)
        return from_memory(self.builder, self.builder.load(address, typ=stored), element)

    def _table(self, op: Op) -> tuple[ir.GlobalVariable, ir.Type]:
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
            table.initializer = ir.Constant(kind, in_memory(value))
            self._tables[id(op)] = table
        return self._tables[id(op)], stored

    def buffer(self, value: Value) -> int:
        """The offset of a kept tile in the workspace: row-major, elements as in memory."""
        return self.storage.offsets[id(value)]

    def temporary(self, op: Op, number: int) -> int:
        """The offset of a buffer that the op's row asked for."""
        return self.storage.temporaries[id(op)][number]

    def address(self, offset: int) -> ir.Value:
        """The address of a place in the workspace."""
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
        """An element of a kept tile."""
        element = value.type.element
        address = self._element_address(self.buffer(value), position, element)
        stored = self.builder.load(address, typ=memory_type(element), align=memory_bytes(element))
        if self._written and self.buffer(value) not in self._written[0]:
            stored.set_metadata("noalias", self._written[1])
        return from_memory(self.builder, stored, element)

    def store_element(self, value: Value, position: Position, result: ir.Value) -> None:
        """Set an element of a tile that an op makes."""
        element = value.type.element
        if is_single(value):
            stored = to_memory(self.builder, result, element)
            self.builder.store(stored, self._result_slot(value))
        else:
            self.store_at(self.buffer(value), position, result, element)

    def store_at(self, offset: int, position: Position, result: ir.Value, element: Element) -> None:
        """Set an element of a tile of that element type in the buffer at an offset."""
        stored = self.builder.store(
            to_memory(self.builder, result, element),
            self._element_address(offset, position, element),
            align=memory_bytes(element),
        )
        if self._written and offset in self._written[0]:
            stored.set_metadata("alias.scope", self._written[1])

    @contextmanager
    def writing(self, *offsets: int) -> Iterator[None]:
        """Code inside is a loop that fills the buffers there, element by element.

        Other buffers are marked as different memory, which LLVM cannot see: all of them are parts
        of the workspace.
        """
        self._written, before = (offsets, self.new_scope()), self._written
        yield
        self._written = before

    def finish(self, value: Value) -> None:
        """All elements are set; if it is only one, it is from now on a plain value."""
        if is_single(value):
            kind = memory_type(value.type.element)
            stored = self.builder.load(self._result_slot(value), typ=kind)
            self.singles[id(value)] = from_memory(self.builder, stored, value.type.element)

    def _result_slot(self, value: Value) -> ir.Value:
        if id(value) not in self._slots:
            self._slots[id(value)] = self.slot(memory_type(value.type.element))
        return self._slots[id(value)]

    def new_scope(self) -> ir.MDValue:
        """A name for memory that nothing else in a loop overlaps, in LLVM's terms."""
        module = self.function.module
        domain = module.add_metadata(["tileir"])
        self._scopes += 1
        scope = module.add_metadata([llvm_name(self.kernel.symbol, str(self._scopes)), domain])
        return module.add_metadata([scope])

    def context_field(self, name: str) -> ir.Value:
        """The address of a field of the launch's context."""
        return self._byte_offset(self._context, getattr(Context, name).offset)

    def new_site(self, kind: str, op: Op, **details: Any) -> int:
        """The number of something that the kernel may report; `details` are for its handler."""
        known = {
            "kind": kind,
            "op": op.name,
            "kernel": self.kernel.symbol,
            "location": op.location_text,
        }
        self.sites.append({**known, **details})
        return len(self.sites) - 1

    def report(self, site: int, index: ir.Value, data: ir.Value | None = None) -> None:
        """Call the launch back: a site, the number of an element, and memory to look at."""
        builder = self.builder
        address = self.context_field("report")
        # llvmlite wants the pointer's type to say what is called.
        function = builder.load(address, typ=REPORT.as_pointer(), align=8)
        data = ir.Constant(OPAQUE, None) if data is None else data
        builder.call(function, [ir.Constant(WORD, site), index, data, *self.function.args[1:4]])

    def pass_on(self, values: Sequence[ir.Value]) -> ir.Value | None:
        """Integers of up to 64 bits in memory, 8 bytes each, for a handler."""
        if not values:
            return None
        builder = self.builder
        kind = ir.ArrayType(ADDRESS, len(values))
        place = self.slot(kind)
        for number, value in enumerate(values):
            wide = value if value.type == ADDRESS else builder.zext(value, ADDRESS)
            builder.store(wide, builder.gep(place, [ZERO, ir.Constant(INDEX, number)]))
        return builder.inttoptr(builder.ptrtoint(place, ADDRESS), OPAQUE)

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
