"""What a kernel does at its start and end: leave to the first block, allocate and free the heap."""

from __future__ import annotations

from tileir.codegen.block.make import make
from tileir.codegen.block.types import Shared
from tileir.codegen.nvptx.schedule.allocations import MOST, Area
from tileir.codegen.nvptx.state import KernelState
from tileir.ir import Op, Value
from tileir.ir.constants import to_constant
from tileir.types import Scalar, Tile

_ADDRESS = Tile(Scalar("i64"))


def place_frame(state: KernelState) -> None:
    """Insert the ops at the start of a kernel, and before each return."""
    block = state.kernel.body.block
    made: list[Op] = []
    if state.contract.blocks > 1 and state.rank is None:
        made.append(make("leave_to_first_block"))
    if not state.heap.offsets:
        block.ops[:0] = made
        return
    returns = [op for op in state.kernel.walk() if op.name == "return"]
    memory, addresses = _allocate(made, state.heap)
    block.ops[:0] = made
    for op, address in addresses.items():
        op.replace_with(address)
    for op in returns:
        free = make("heap_free", {"address": memory}, origin=op)
        op.parent.insert(op.index, free)


def _allocate(made: list[Op], area: Area) -> tuple[Value, dict[Op, Value]]:
    """Allocate all variables on the heap as one piece of memory.

    Return its address, and for each `alloca` there its address.
    """
    place = Shared(Scalar("i64"), (), ())
    slot = make("shared_alloc", results=[place])
    made.append(slot)
    made.append(make("heap_alloc", {"destination": slot.result}, {"bytes": area.taken}))
    loaded = make("load_shared", {"source": slot.result}, results=[_ADDRESS])
    made.append(loaded)
    start = loaded.result
    if area.slack:
        start = _binary(made, "addi", start, area.slack, {"overflow": "none"})
        start = _binary(made, "andi", start, -area.alignment)
    addresses = {}
    for op, offset in area.offsets.items():
        address = _binary(made, "addi", start, min(offset, MOST), {"overflow": "none"})
        pointer = make("int_to_ptr", {"source": address}, results=[op.result.type], origin=op)
        made.append(pointer)
        addresses[op] = pointer.result
    return loaded.result, addresses


def _binary(
    made: list[Op],
    name: str,
    value: Value,
    number: int,
    attributes: dict[str, object] | None = None,
) -> Value:
    constant = make(
        "constant", attributes={"value": to_constant(number, _ADDRESS)}, results=[_ADDRESS]
    )
    result = make(name, {"lhs": value, "rhs": constant.result}, attributes, [_ADDRESS])
    made += [constant, result]
    return result.result
