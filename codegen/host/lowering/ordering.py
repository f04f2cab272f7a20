"""Loads and stores of elements under the memory orderings of Tile IR.

Weak accesses are plain. All others are LLVM atomics, so that each is really made: a loop that
waits for a flag reads it in every iteration, and a release store follows all stores that it
publishes. Blocks of a launch share all memory.

Ordered stores and read-modify-writes are *exclusive*: they are made under a lock of the process
(see `running/exclusion.py`), which is taken once for all elements of a tile. A thread that finds it
held waits for a few dozen cycles, as long as an update takes, and then lets other threads run
again and again, as its holder may have lost its core.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llvmlite import ir

from tileir.codegen.host.running.exclusion import Exclusion
from tileir.codegen.scalar.types import BYTE, OPAQUE
from tileir.ir import Op

from .block import Lowering

_ORDERINGS = {
    "weak": None,
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "release",
    "acq_rel": "acq_rel",
}


_TRIES = 64
"""How often a thread looks for the end of an update before it lets another one run."""

_WORD = ir.IntType(32)
_ONE, _FREE = ir.Constant(_WORD, 1), ir.Constant(_WORD, 0)
_NAME = "tileir.exclude"


def ordering_of(op: Op) -> str | None:
    """Return LLVM's name for the ordering of an op's accesses; None for plain ones."""
    return _ORDERINGS[op.attributes["memory_ordering_semantics"]]


def load(
    builder: ir.IRBuilder, address: ir.Value, kind: ir.Type, align: int, ordering: str | None
) -> ir.Instruction:
    """Load a value of the LLVM type `kind`; `align` is in bytes."""
    if ordering is None:
        return builder.load(address, typ=kind, align=align)
    return builder.load_atomic(address, ordering, align, typ=kind)


def store(
    builder: ir.IRBuilder, value: ir.Value, address: ir.Value, align: int, ordering: str | None
) -> ir.Instruction:
    """Store a value; `align` is in bytes."""
    if ordering is None:
        return builder.store(value, address, align=align)
    # builder.store_atomic insists on typed pointers, which LLVM no longer has.
    written = ir.instructions.StoreAtomicInstr(builder.block, value, address, ordering, align)
    builder._insert(written)
    return written


def pointer(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """Convert an address to a pointer, turning the additions that made it into GEPs.

    LLVM does not look through a cast from an integer, but analyses GEPs and recognises contiguous
    elements.
    """
    steps = []
    while isinstance(address, ir.Instruction) and address.opname == "add":
        address, step = address.operands
        steps.append(step)
    result = builder.inttoptr(address, OPAQUE)
    for step in reversed(steps):
        result = builder.gep(result, [step], source_etype=BYTE)
    return result


def store_exclusively(
    lowering: Lowering, value: ir.Value, address: ir.Value, align: int, ordering: str | None
) -> ir.Instruction:
    """Store a value, in no update of another thread if the store is ordered."""
    if ordering is None:
        return store(lowering.builder, value, address, align, None)
    with exclusive(lowering, ordering):
        return store(lowering.builder, value, address, align, ordering)


@contextmanager
def exclusive(lowering: Lowering, order: str) -> Iterator[None]:
    """Code inside runs while no other thread is inside; it must not report anything.

    `order` is the LLVM ordering of the accesses inside.
    """
    builder = lowering.builder
    ordered = order != "monotonic"
    if ordered and lowering.may_stream:
        fence_streams(builder)
    field = lowering.context_field("exclusion")
    lock = builder.load(field, typ=OPAQUE, align=8)
    builder.call(_lock_function(builder.module), [lock])
    if ordered:
        builder.fence("acq_rel")
    yield
    if ordered:
        builder.fence("acq_rel")
    store(builder, _FREE, lock, 4, "release")


def fence_streams(builder: ir.IRBuilder) -> None:
    """Emit the fence that orders stores past the caches with what follows."""
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.call(builder.module.declare_intrinsic("llvm.x86.sse.sfence", (), kind), [])


def _lock_function(module: ir.Module) -> ir.Function:
    """Return `void(ptr lock)`, which waits until the lock is free, and takes it."""
    if _NAME in module.globals:
        return module.globals[_NAME]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [OPAQUE]), _NAME)
    function.linkage = "internal"
    function.attributes.add("noinline")
    function.attributes.add("nounwind")
    (lock,) = function.args
    names = "entry", "take", "look", "wait", "give_way", "taken"
    entry, take, look, wait, give_way, taken = map(function.append_basic_block, names)
    builder = ir.IRBuilder(entry)
    builder.branch(take)
    builder.position_at_end(take)
    before = builder.atomic_rmw("xchg", lock, _ONE, "acq_rel")
    builder.cbranch(builder.icmp_unsigned("==", before, _FREE), taken, look)
    builder.position_at_end(look)
    tries = builder.phi(_WORD)
    held = builder.load_atomic(lock, "monotonic", 4, typ=_WORD)
    builder.cbranch(builder.icmp_unsigned("==", held, _FREE), take, wait)
    builder.position_at_end(wait)
    if module.triple.startswith("x86_64"):
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
    following = builder.add(tries, _ONE)
    patient = builder.icmp_unsigned("<", following, ir.Constant(_WORD, _TRIES))
    builder.cbranch(patient, look, give_way)
    builder.position_at_end(give_way)
    place = ir.Constant(_WORD, Exclusion.give_way.offset)
    place = builder.gep(lock, [place], source_etype=BYTE)
    kind = ir.FunctionType(_WORD, []).as_pointer()
    builder.call(builder.load(place, typ=kind, align=8), [])
    builder.branch(look)
    for block, number in ((take, _FREE), (wait, following), (give_way, tries)):
        tries.add_incoming(number, block)
    builder.position_at_end(taken)
    builder.ret_void()
    return function
