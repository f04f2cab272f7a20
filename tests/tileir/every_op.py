"""One use of every op that a body may hold, for tests: most from the row alone, the rest stated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tileir.attributes import Bounded, DivBy, SameElements
from tileir.builder import Module, number
from tileir.builder.calls import python_name
from tileir.builder.kernel import Kernel
from tileir.formats.leaves import EnumValue
from tileir.formats.ops.spec import Op, TileOf
from tileir.formats.version import V13_3, V13_4, V13_5, Version
from tileir.ir import Value
from tileir.types import (
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
)

PREFERRED = ("f32", "i32", "i1", "i64", "i8", "f16")
SHAPE = (16,)
WEAK = {"memory_ordering_semantics": "weak"}
ATOMIC = {"memory_ordering_semantics": "relaxed", "memory_scope": "device"}


def ones(kernel: Kernel, type: str) -> Value:
    """A constant full of ones."""
    return kernel.constant(1, result=type)


def pointers(kernel: Kernel) -> Value:
    """Sixteen pointers to f32."""
    one = kernel.reshape(kernel.parameters[0], result=(1,))
    return kernel.broadcast(one, result=(16,))


TENSOR = TensorView(Scalar("f32"), (64, None), (None, 1))
PARTITION = PartitionView((4, 8), TENSOR, (0, 1), "zero")
STRIDED = StridedView((4, 8), (2, 8), TENSOR, (0, 1))
GATHER = GatherScatterView((4, 8), TENSOR, 0)
MULTICAST = TensorView(Scalar("f32"), (64,), (1,), "multicast")


def tensor(kernel: Kernel) -> Value:
    """A tensor view with a dynamic extent and a dynamic stride."""
    extent = ones(kernel, "i32")
    return kernel.make_tensor_view(kernel.parameters[0], [extent], [extent], result=TENSOR)


def partition(kernel: Kernel) -> Value:
    """A partition view of it."""
    return kernel.make_partition_view(tensor(kernel), result=PARTITION)


def multicast(kernel: Kernel) -> Value:
    """A partition view of multicast memory."""
    pointer = kernel.ptr_to_int(kernel.parameters[0])
    address = kernel.int_to_ptr(pointer, result=Pointer(Scalar("f32"), "multicast"))
    view = kernel.make_tensor_view(address, result=MULTICAST)
    return kernel.make_partition_view(view, result=PartitionView((16,), MULTICAST, (0,)))


def index(kernel: Kernel, rank: int = 2) -> list[Value]:
    """The first tile of a view."""
    return [kernel.constant(0, result="i32") for _ in range(rank)]


def combining(kernel: Kernel, name: str, **attributes: object) -> None:
    """A reduction or scan of two tiles."""
    tiles = [ones(kernel, "4x8xf32"), ones(kernel, "4x8xi32")]
    identities = [number(0.0, "f32"), number(-1, "i32")]
    make = getattr(kernel, name)
    with make(tiles, dim=1, identities=identities, **attributes) as folded:
        a, b, c, d = folded.arguments
        kernel.yield_([kernel.addf(a, b), kernel.maxi(c, d, signedness="signed")])


def loop(kernel: Kernel, end: Callable[[Kernel], None]) -> None:
    """An endless loop, left by what `end` does in a branch."""
    with kernel.loop([ones(kernel, "f32")], results=["i32"]) as endless:
        with kernel.if_(ones(kernel, "i1")):
            end(kernel)
        kernel.continue_(endless.arguments)


def counting(kernel: Kernel) -> None:
    """A loop with a carried value."""
    one = ones(kernel, "i32")
    unsigned = {"unsignedCmp": True} if kernel.version >= (13, 2) else {}
    with kernel.for_(one, one, one, [one], **unsigned) as counted:
        number_, carried = counted.arguments
        kernel.continue_([kernel.addi(number_, carried)])


def choosing(kernel: Kernel) -> None:
    """Both branches, and one alone."""
    choice = kernel.if_(ones(kernel, "i1"), results=["f32", "tile<4xi32>"])
    for region in (choice.thenRegion, choice.elseRegion):
        with region:
            kernel.yield_([ones(kernel, "f32"), ones(kernel, "4xi32")])
    kernel.negf(choice.results[0])
    with kernel.if_(ones(kernel, "i1")):
        kernel.yield_()


def assuming(kernel: Kernel) -> None:
    """Each kind of assumption."""
    many = ones(kernel, "4x8xi32")
    kernel.assume(kernel.parameters[0], DivBy(16))
    kernel.assume(many, DivBy(4, 2, 1))
    kernel.assume(many, SameElements((2, 4)))
    for bounds in (Bounded(None, None), Bounded(-5, None), Bounded(None, 7), Bounded(-5, 7)):
        kernel.assume(many, bounds)


def matrices(kernel: Kernel, name: str, left: str, right: str, sum: str, **more: object) -> None:
    """A matrix product."""
    getattr(kernel, name)(
        ones(kernel, f"16x32x{left}"),
        ones(kernel, f"32x16x{right}"),
        ones(kernel, f"16x16x{sum}"),
        **more,
    )


def scaled(kernel: Kernel) -> None:
    """A matrix product of scaled blocks."""
    tiles = [ones(kernel, f"{shape}xf8E5M2") for shape in ("16x64", "64x16")]
    scales = [ones(kernel, f"{shape}xf8E8M0FNU") for shape in ("16x2", "2x16")]
    kernel.mmaf_scaled(*tiles, ones(kernel, "16x16xf32"), *scales)


def loading(kernel: Kernel) -> None:
    """A load with everything, hints included."""
    kernel.load_ptr_tko(
        pointers(kernel),
        ones(kernel, "16xi1"),
        ones(kernel, "16xf32"),
        kernel.make_token(),
        memory_ordering_semantics="acquire",
        memory_scope="sys",
        optimization_hints={"sm_90": {"latency": 4}, "default": {"latency": 2}},
    )


def loading_view(kernel: Kernel) -> None:
    """Loads through every kind of view, with promises where the version has them."""
    more = {"inbounds": [True, False]} if kernel.version >= V13_4 else {}
    hints = {"sm_90": {"latency": 4, "allow_tma": False}}
    kernel.load_view_tko(partition(kernel), index(kernel), optimization_hints=hints, **WEAK, **more)
    if kernel.version >= V13_3:
        sparse = kernel.make_gather_scatter_view(tensor(kernel), result=GATHER)
        rows = kernel.constant(np.arange(4, dtype=np.int32))
        kernel.load_view_tko(sparse, [rows, *index(kernel, 1)], **WEAK)


def reducing_view(kernel: Kernel) -> None:
    """An atomic reduction into a view."""
    more = {"inbounds": [True, True]} if kernel.version >= V13_5 else {}
    strided = kernel.make_strided_view(tensor(kernel), result=STRIDED)
    tile = ones(kernel, "4x8xf32")
    kernel.atomic_red_view_tko(
        strided, index(kernel), tile, memory_scope="device", mode="addf", **more
    )


def multimem(kernel: Kernel, name: str, **more: object) -> None:
    """A store into multicast memory, or a reduction there."""
    getattr(kernel, name)(multicast(kernel), ones(kernel, "16xf32"), index(kernel, 1), **more)


def asserting(kernel: Kernel) -> None:
    """An assertion."""
    kernel.assert_(ones(kernel, "16xi1"), message="all is well")  # noqa: PT009


STATED: dict[str, Callable[[Kernel], object]] = {
    "assert": asserting,
    "assume": assuming,
    "atomic_cas_tko": lambda k: k.atomic_cas_tko(
        pointers(k), ones(k, "16xf32"), ones(k, "16xf32"), ones(k, "16xi1"), **ATOMIC
    ),
    "atomic_red_view_tko": reducing_view,
    "atomic_rmw_tko": lambda k: k.atomic_rmw_tko(
        pointers(k), ones(k, "16xf32"), None, k.make_token(), mode="addf", **ATOMIC
    ),
    "bitcast": lambda k: k.bitcast(ones(k, "16xf32"), result="i32"),
    "break": lambda k: loop(k, lambda k: k.break_([ones(k, "i32")])),
    "broadcast": lambda k: k.broadcast(ones(k, "4x1xf32"), result=(4, 8)),
    "cat": lambda k: k.cat(ones(k, "4x8xf32"), ones(k, "4x8xf32"), 1, result=(4, 16)),
    "constant": lambda k: k.constant(np.arange(16, dtype=np.float32)),
    "continue": counting,
    "exti": lambda k: k.exti(ones(k, "16xi8"), "unsigned", result="i32"),
    "extract": lambda k: k.extract(ones(k, "4x8xf32"), index(k), result=(2, 4)),
    "for": counting,
    "ftof": lambda k: k.ftof(ones(k, "16xf32"), result="f16"),
    "get_global": lambda k: k.get_global("table", result="ptr<f32>"),
    "get_index_space_shape": lambda k: k.get_index_space_shape(
        partition(k), results=["i32", "i32"]
    ),
    "get_tensor_shape": lambda k: k.get_tensor_shape(tensor(k), results=["i64", "i64"]),
    "if": choosing,
    "insert": lambda k: k.insert(ones(k, "2x4xf32"), ones(k, "4x8xf32"), index(k)),
    "int_to_ptr": lambda k: k.int_to_ptr(ones(k, "16xi64"), result="ptr<f32>"),
    "iota": lambda k: k.iota(result="16xi32"),
    "join_tokens": lambda k: k.join_tokens([k.make_token(), k.make_token()]),
    "load_ptr_tko": loading,
    "load_view_tko": loading_view,
    "loop": lambda k: loop(k, lambda k: k.break_([ones(k, "i32")])),
    "make_gather_scatter_view": lambda k: k.make_gather_scatter_view(tensor(k), result=GATHER),
    "make_partition_view": partition,
    "make_strided_view": lambda k: k.make_strided_view(tensor(k), result=STRIDED),
    "make_tensor_view": tensor,
    "mmaf": lambda k: matrices(k, "mmaf", "f16", "f16", "f32"),
    "mmaf_scaled": scaled,
    "mmai": lambda k: matrices(
        k, "mmai", "i8", "i8", "i32", signedness_lhs="signed", signedness_rhs="unsigned"
    ),
    "multimem_load_reduce_view_tko": lambda k: k.multimem_load_reduce_view_tko(
        multicast(k), index(k, 1), memory_ordering_semantics="relaxed", memory_scope="sys",
        reduction="add",
    ),
    "multimem_reduce_view_tko": lambda k: multimem(
        k, "multimem_reduce_view_tko", reduction="add",
        memory_ordering_semantics="relaxed", memory_scope="sys",
    ),
    "multimem_store_view_tko": lambda k: multimem(k, "multimem_store_view_tko", **WEAK),
    "pack": lambda k: k.pack(ones(k, "16xf32"), result="64xi8"),
    "permute": lambda k: k.permute(ones(k, "4x8xf32"), [1, 0], result=(8, 4)),
    "print_tko": lambda k: k.print_tko([ones(k, "f32"), ones(k, "i32")], str="%f and %d\n"),
    "ptr_to_ptr": lambda k: k.ptr_to_ptr(pointers(k), result="ptr<i32>"),
    "reduce": lambda k: combining(k, "reduce"),
    "reshape": lambda k: k.reshape(ones(k, "4x8xf32"), result=(32,)),
    "return": lambda k: None,
    "scan": lambda k: combining(k, "scan", reverse=True),
    "store_ptr_tko": lambda k: k.store_ptr_tko(pointers(k), ones(k, "16xf32"), **WEAK),
    "store_view_tko": lambda k: k.store_view_tko(
        ones(k, "4x8xf32"), partition(k), index(k), **WEAK
    ),
    "trunci": lambda k: k.trunci(ones(k, "16xi32"), result="i8"),
    "unpack": lambda k: k.unpack(ones(k, "64xi8"), result="16xf32"),
    "yield": choosing,
}  # fmt: skip
"""How to make those ops that the row does not determine. Each ends up somewhere in the kernel."""


def module_with(spec: Op, version: Version) -> Module:
    """A module whose one kernel uses the op."""
    module = Module(version)
    if spec.mnemonic == "get_global":
        module.global_("table", np.arange(8, dtype=np.float32), alignment=16)
    kernel = module.function("main", ["ptr<f32>"])
    STATED.get(spec.mnemonic, lambda kernel: from_row(kernel, spec))(kernel)
    kernel.return_()
    return module


def from_row(kernel: Kernel, spec: Op) -> None:
    """The op with operands of the first types that its row admits."""
    operands = [operand(kernel, slot) for slot in spec.operands if slot.arity == "one"]
    attributes = {
        python_name(slot.name): required(slot)
        for slot in spec.attributes
        if not slot.optional and slot.default is None
    }
    result = None
    if spec.results and spec.results[0].inference is None and spec.same_shape:
        result = preferred(spec.results[0].type)
    if spec.mnemonic == "alloca":
        result = "ptr<f32>"
    getattr(kernel, python_name(spec.mnemonic))(*operands, result=result, **attributes)


def operand(kernel: Kernel, slot) -> Value:
    """A value that the slot admits."""
    if slot.type.kinds == ("token",):
        return kernel.make_token()
    if slot.type.elements == ("ptr",):
        return pointers(kernel)
    shape = () if slot.type.rank == 0 else SHAPE
    return kernel.constant(1, result=Tile(Scalar(preferred(slot.type)), shape))


def preferred(constraint: TileOf) -> str:
    """The element type to try a constraint with."""
    return next(name for name in PREFERRED if name in constraint.elements)


def required(slot) -> object:
    """A value for an attribute without a default."""
    if isinstance(slot.node, EnumValue):
        return slot.allowed[0] if slot.allowed else slot.node.enum.cases[0].name
    return 16
