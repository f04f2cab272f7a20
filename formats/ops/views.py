"""Views: tensors in memory, cut into tiles, and the access to those tiles.

An index picks a tile of a partition view or strided view. In a gather/scatter view the index along
the sparse dimension is a tile of rank 1 that picks single positions.
"""

from __future__ import annotations

from tileir.formats.attributes import BOOL_LIST
from tileir.formats.enums import MULTIMEM_REDUCTION_KIND
from tileir.formats.leaves import EnumValue
from tileir.formats.version import V13_1, V13_3, V13_4, V13_5, Version

from .memory import (
    LOAD_ORDERS,
    OPTIONAL_SCOPE,
    SCOPE,
    STORE_ORDERS,
    TOKEN_IN,
    TOKEN_OUT,
    hints,
    ordering,
)
from .spec import (
    GATHER_SCATTER_VIEW,
    INTEGER_TILE,
    INTEGERS,
    NO_MEMORY_EFFECT,
    PARTITION_VIEW,
    POINTER,
    READS,
    READS_WRITES,
    STRIDED_VIEW,
    TENSOR_VIEW,
    TILE,
    VIEW,
    WRITES,
    Attribute,
    Constraint,
    Each,
    Op,
    Operand,
    Result,
    ViewTile,
    many,
    scalar,
    tile,
)

MULTICAST_VIEW = Constraint(("partition_view",))
"""A partition view whose tensor view has multicast addresses."""

MULTICAST_TILE = tile("i32", "i64", "f16", "bf16", "f32", "f64")
EXTENT = scalar(*INTEGERS)

INDEX = many(
    "index",
    INTEGER_TILE,
    "Index of the tile in each dimension, unsigned; out of range is undefined behaviour.",
)
VIEW_HINTS = hints("`latency`, `allow_tma`")
MULTICAST_OPERAND = Operand("view", MULTICAST_VIEW, "The multicast memory, as tiles.")
REDUCTION = Attribute(
    "reduction",
    EnumValue(MULTIMEM_REDUCTION_KIND),
    "The operation that combines values.",
    default="add",
)


def inbounds(since: Version = V13_1) -> Attribute:
    """Return the slot for promises that a tile does not go past the edge of the tensor."""
    return Attribute(
        "inbounds",
        BOOL_LIST,
        "For each index, whether no element is outside along it; else undefined behaviour.",
        since=since,
        default=Each("index", False),
    )


def _shape(mnemonic: str, opcode: int, doc: str, source: Constraint) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(Operand("src", source, "The view to measure."),),
        results=(Result("result", EXTENT, doc="A number for each dimension.", arity="many"),),
        effects=NO_MEMORY_EFFECT,
        format="{src} : {src:type} -> {result:first}",
    )


def _make_view(
    mnemonic: str, opcode: int, doc: str, view: Constraint, prefix: str, since: Version = V13_1
) -> Op:
    """Return the row of an op that makes a view; only the result's type tells how it is cut."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(
            Operand(
                "tensor_view",
                TENSOR_VIEW,
                "The tensor view to cut; its type is part of the result's.",
            ),
        ),
        results=(
            Result("result", view, doc="The view; its type tells how the tensor view is cut."),
        ),
        since=since,
        format="{tensor_view} : {result:type}",
        prefix=prefix,
    )


def _access(
    mnemonic: str,
    opcode: int,
    doc: str,
    operands: tuple[Operand, ...],
    results: tuple[Result, ...],
    attributes: tuple[Attribute, ...],
    effects: str,
    since: Version = V13_1,
    *,
    format: str,
) -> Op:
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(*operands, TOKEN_IN),
        results=(*results, TOKEN_OUT),
        attributes=attributes,
        since=since,
        effects=effects,
        format=format,
    )


OPS = (
    _shape(
        "get_index_space_shape",
        0x2D,
        "How many tiles a view has along each dimension, those over the edge included.\n"
        "A number that does not fit the result type is undefined behaviour.",
        VIEW,
    ),
    _shape(
        "get_tensor_shape",
        0x2F,
        "How many elements a tensor view has along each dimension.\n"
        "A number that does not fit the result type is undefined behaviour.",
        TENSOR_VIEW,
    ),
    _access(
        "load_view_tko",
        0x3E,
        "Load a tile of a view. Elements outside the tensor become the padding value of the\n"
        "view type, or are unspecified without one.",
        (Operand("view", VIEW, "The memory to load from; not multicast."), INDEX),
        (Result("tile", TILE, ViewTile("view")),),
        (ordering(*LOAD_ORDERS), OPTIONAL_SCOPE, VIEW_HINTS, inbounds(V13_4)),
        READS,
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {view}[[{index}]][ token = {token}]["
            " optimization_hints = {optimization_hints}][ inbounds = {inbounds}] : "
            "{view:type}[, {index:common}] -> {tile:type}, {result_token:type}"
        ),
    ),
    _make_view(
        "make_gather_scatter_view",
        0x73,
        "Let tiles pick single positions of a tensor view along one dimension.",
        GATHER_SCATTER_VIEW,
        "gsview",
        V13_3,
    ),
    _make_view(
        "make_partition_view",
        0x42,
        "Cut a tensor view into a grid of equal tiles.",
        PARTITION_VIEW,
        "pview",
    ),
    _make_view(
        "make_strided_view",
        0x74,
        "Cut a tensor view into tiles that may overlap or leave gaps.",
        STRIDED_VIEW,
        "sview",
        V13_3,
    ),
    Op(
        "make_tensor_view",
        opcode=0x43,
        doc="Describe a tensor in memory: where it is, its shape, its strides in elements.\n"
        "Dynamic values are read as unsigned; all have the same type.",
        operands=(
            Operand(
                "base",
                scalar(*POINTER),
                "Address of the first element, of the result's element type.",
            ),
            many("dynamicShape", EXTENT, "A size for each dynamic one in the result type."),
            many("dynamicStrides", EXTENT, "A stride for each dynamic one in the result type."),
        ),
        results=(
            Result("result", TENSOR_VIEW, doc="Static sizes and strides; pointer kind as `base`."),
        ),
        effects=NO_MEMORY_EFFECT,
        format=(
            "{base}, shape = [[{dynamicShape:extents}]], strides = [["
            "{dynamicStrides:extents}]] : {base:signature}"
        ),
        prefix="tview",
    ),
    _access(
        "multimem_load_reduce_view_tko",
        0x7B,
        "Load a tile from all replicas of multicast memory and combine them.",
        (MULTICAST_OPERAND, INDEX),
        (
            Result(
                "reduced_values",
                MULTICAST_TILE,
                ViewTile("view"),
                "Any integer reduction; add, and for f16 and bf16 min and max.",
            ),
        ),
        (ordering(*LOAD_ORDERS), OPTIONAL_SCOPE, REDUCTION, inbounds()),
        READS,
        V13_5,
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {view}[[{index}]][ token = {token}] "
            "[inbounds = {inbounds}][ attributes {{reduction = "
            "#cuda_tile.multimem_reduction_kind<{reduction}>}}] : {view:type}[, "
            "{index:common}][, {token:type}] -> {reduced_values:type}, {result_token:type}"
        ),
    ),
    _access(
        "multimem_reduce_view_tko",
        0x7C,
        "Combine a tile into all replicas of multicast memory, each element atomically.\n"
        "Elements outside the tensor are left out.",
        (
            MULTICAST_OPERAND,
            Operand("tile", MULTICAST_TILE, "Floats only add.", inference=ViewTile("view")),
            INDEX,
        ),
        (),
        (ordering("relaxed", "release"), SCOPE, REDUCTION, inbounds()),
        READS_WRITES,
        V13_5,
        format=(
            "{memory_ordering_semantics} {memory_scope} {view}, {tile}[[{index}]][ token = "
            "{token}] [inbounds = {inbounds}][ attributes {{reduction = "
            "#cuda_tile.multimem_reduction_kind<{reduction}>}}] : {view:type}, {tile:type}[, "
            "{index:common}][, {token:type}] -> {result_token:type}"
        ),
    ),
    _access(
        "multimem_store_view_tko",
        0x7D,
        "Store a tile to all replicas of multicast memory.\n"
        "Elements outside the tensor are left out.",
        (
            MULTICAST_OPERAND,
            Operand("tile", MULTICAST_TILE, "The value to store.", inference=ViewTile("view")),
            INDEX,
        ),
        (),
        (ordering(*STORE_ORDERS), OPTIONAL_SCOPE, inbounds()),
        WRITES,
        V13_5,
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {view}, {tile}[[{index}]][ token = "
            "{token}] [inbounds = {inbounds}] : {view:type}, {tile:type}[, {index:common}][, "
            "{token:type}] -> {result_token:type}"
        ),
    ),
    _access(
        "store_view_tko",
        0x66,
        "Store a tile of a view. Elements outside the tensor are left out.",
        (
            Operand("tile", TILE, "The value to store.", inference=ViewTile("view")),
            Operand("view", VIEW, "The memory to store to; not multicast."),
            INDEX,
        ),
        (),
        (ordering(*STORE_ORDERS), OPTIONAL_SCOPE, VIEW_HINTS, inbounds(V13_4)),
        WRITES,
        format=(
            "{memory_ordering_semantics}[ {memory_scope}] {tile}, {view}[[{index}]][ token = "
            "{token}][ optimization_hints = {optimization_hints}][ inbounds = {inbounds}] : "
            "{tile:type}, {view:type}[, {index:common}] -> {result_token:type}"
        ),
    ),
)
