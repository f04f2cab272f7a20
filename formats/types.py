"""Type records: a tag and the fields that it selects (Type section).

Element types have no fields. Composite types refer to other types by index, in any order, so the
records are only linked when `tileir.types` resolves them.
"""

from __future__ import annotations

from construct import Subconstruct

from .cursor import ByteWriter, Cursor, Path, spell
from .enums import MEMORY_SPACE, PADDING_VALUE, POINTER_ATTRIBUTE
from .errors import BuildError
from .leaves import Bool, EnumValue, Fixed, FlagWord, Index, VarInt
from .nodes import UNANNOUNCED, Counted, If, Since, Variant, Versioned, field
from .version import PREVIEW, V13_1, V13_2, V13_3, V13_4

DYNAMIC = -(1 << 63)
"""A dynamic extent or stride in the file."""

TYPE_INDEX = Index("type")
SIZES = Counted(Fixed(8, signed=True), item_size=8)
SIZES32 = Counted(Fixed(4, signed=True), item_size=4)


ATTRIBUTE = Variant("attribute tag", nests="attribute", rows=True)
"""Tagged attributes, of which types in public preview have some; `attributes` adds their arms."""


class Extension(Subconstruct):
    """What may follow in the bytes of a type record, in files with public-preview content."""

    def _parse(self, cursor: Cursor, context, path: Path):
        if not cursor.left:
            return None
        if cursor.version < PREVIEW:
            raise cursor.error(
                "preview",
                path,
                expected="the end of the tile type",
                found=f"a public-preview extension, bytes: {cursor.left}",
                hint=UNANNOUNCED,
            )
        return self.subcon._parse(cursor, context, path)

    def _build(self, value, writer: ByteWriter, context, path: Path):
        if value is None:
            return value
        if writer.version < PREVIEW:
            raise BuildError(f"{spell(path)} needs {PREVIEW}, writing {writer.version}")
        self.subcon._build(value, writer, context, path)
        return value


TYPE = Variant("type tag")

SCALAR_BITS: dict[int, int] = {}
"""Tag of an element type -> width in bits, on which the layout of an attribute's value depends."""

INTEGER_TAGS: set[int] = set()


def _scalar(name: str, tag: int, bits: int, doc: str, since=V13_1, integer: bool = False) -> None:
    TYPE.add(name, tag, doc, since=since)
    SCALAR_BITS[tag] = bits
    if integer:
        INTEGER_TAGS.add(tag)


_scalar("i1", 0, 1, "Boolean.", integer=True)
_scalar("i8", 1, 8, "8-bit integer.", integer=True)
_scalar("i16", 2, 16, "16-bit integer.", integer=True)
_scalar("i32", 3, 32, "32-bit integer.", integer=True)
_scalar("i64", 4, 64, "64-bit integer.", integer=True)
_scalar("f16", 5, 16, "IEEE half precision.")
_scalar("bf16", 6, 16, "bfloat16: 8 exponent bits, 7 fraction bits.")
_scalar("f32", 7, 32, "IEEE single precision.")
_scalar("tf32", 8, 19, "TensorFloat-32: 8 exponent bits, 10 fraction bits.")
_scalar("f64", 9, 64, "IEEE double precision.")
_scalar("f8E4M3FN", 10, 8, "8-bit float, 4 exponent bits, no infinities.")
_scalar("f8E5M2", 11, 8, "8-bit float, 5 exponent bits.")

OPTIONAL_POINTER_ATTRIBUTE = Since(V13_4, If("flags", 1, EnumValue(POINTER_ATTRIBUTE)))

TYPE.add(
    "ptr",
    12,
    "Pointer to elements of a scalar type.",
    field("flags", Since(V13_4, FlagWord("ptr_attr", strict=True)), "Whether `ptr_attr` follows."),
    field("pointee", TYPE_INDEX, "What it points to: an element type or a pointer."),
    field(
        "ptr_attr", OPTIONAL_POINTER_ATTRIBUTE, "What kind of address it holds; absent means none."
    ),
)
TYPE.add(
    "tile",
    13,
    "Immutable array of elements with a static shape; rank 0 is a scalar.",
    field("element", TYPE_INDEX, "An element type or a pointer."),
    field("shape", SIZES, "A size for each dimension."),
    field(
        "symbolic_shape",
        Extension(ATTRIBUTE),
        "A SymbolicTuple of all extents if some are expressions, which are dynamic in `shape`; "
        "only in files with public-preview content, and nothing where the record ends.",
    ),
)
TYPE.add(
    "tensor_view",
    14,
    "Array in memory: base pointer, shape and strides, static or dynamic.",
    field("flags", Since(V13_4, FlagWord("ptr_attr", strict=True)), "Whether `ptr_attr` follows."),
    field("element", TYPE_INDEX, "An element type or a pointer."),
    field("shape", SIZES, "A size for each dimension."),
    field("strides", SIZES, "A distance in elements for each dimension."),
    field(
        "ptr_attr", OPTIONAL_POINTER_ATTRIBUTE, "What kind of address it holds; absent means none."
    ),
)
TYPE.add(
    "partition_view",
    15,
    "Tensor view cut into a grid of equal tiles.",
    field(
        "flags",
        Since(V13_3, FlagWord("padding_value", strict=True)),
        "Whether `padding_value` follows.",
    ),
    field("tile", SIZES32, "The shape of its tiles."),
    field("view", TYPE_INDEX, "The tensor view that is cut."),
    field("dim_map", SIZES32, "The dimension of the tensor for each one of the tile."),
    field(
        "has_padding",
        Versioned((V13_1, Bool()), (V13_3, None)),
        "Not 0 if `padding_value` follows.",
    ),
    field(
        "padding_value",
        Versioned(
            (V13_1, If("has_padding", 0xFF, EnumValue(PADDING_VALUE))),
            (V13_3, If("flags", 1, EnumValue(PADDING_VALUE))),
        ),
        "What a load gives outside the tensor.",
    ),
)
TYPE.add(
    "func",
    16,
    "Signature: parameter and result types.",
    field("parameters", Counted(TYPE_INDEX), "The types of the entry block's arguments."),
    field("results", Counted(TYPE_INDEX), "None in a kernel."),
)
TYPE.add("token", 17, "Order between memory operations; exists only while compiling.")
_scalar("f8E8M0FNU", 18, 8, "8-bit power of two, unsigned.", V13_2)
_scalar("f4E2M1FN", 19, 4, "4-bit float, 2 exponent bits.", V13_3)
TYPE.add(
    "gather_scatter_view",
    20,
    "Tensor view whose tiles pick single positions along one dimension.",
    field("flags", FlagWord("padding_value", strict=True), "Whether `padding_value` follows."),
    field("tile", SIZES32, "The shape of its tiles."),
    field("view", TYPE_INDEX, "The tensor view that is cut."),
    field("sparse_dim", VarInt(32), "The dimension along which single positions are picked."),
    field(
        "padding_value",
        If("flags", 1, EnumValue(PADDING_VALUE)),
        "What a load gives outside the tensor.",
    ),
    since=V13_3,
)
TYPE.add(
    "strided_view",
    21,
    "Tensor view whose tiles start every `traversal_strides` elements, with overlap or gaps.",
    field("flags", FlagWord("padding_value", strict=True), "Whether `padding_value` follows."),
    field("tile", SIZES32, "The shape of its tiles."),
    field("traversal_strides", SIZES32, "From one tile to the next, for each dimension."),
    field("view", TYPE_INDEX, "The tensor view that is cut."),
    field("dim_map", SIZES32, "The dimension of the tensor for each one of the tile."),
    field(
        "padding_value",
        If("flags", 1, EnumValue(PADDING_VALUE)),
        "What a load gives outside the tensor.",
    ),
    since=V13_3,
)
_scalar("i4", 22, 4, "4-bit integer.", V13_3, integer=True)
_scalar("fnv8E5M3FNU", 130, 8, "8-bit unsigned float, 5 exponent bits.", V13_4)
TYPE.add(
    "preview$sym_t",
    209,
    "An element type that a parameter of an extern function stands for.",
    field("symbol", ATTRIBUTE, "An ExprVar: the parameter."),
    since=PREVIEW,
)
TYPE.add(
    "preview$fragment",
    210,
    "What an implementation of an extern function gets of a tile.",
    field("symbolic_shape", ATTRIBUTE, "A SymbolicTuple of its extents."),
    field("shape", SIZES, "The extents; dynamic where they are expressions."),
    field("element", TYPE_INDEX, "An element type or a pointer."),
    field("memory_space", EnumValue(MEMORY_SPACE), "Where it is."),
    field("mem_layout", ATTRIBUTE, "A Layout: where an element is in its memory."),
    field(
        "fragmap",
        ATTRIBUTE,
        "A Layout of three modes, invocation, participant and footprint: who has an element.",
    ),
    field("alignment", ATTRIBUTE, "An expression: the alignment of its memory."),
    since=PREVIEW,
)
TYPE.add("preview$Datatype", 211, "The type of parameters that are types.", since=PREVIEW)
TYPE.add("preview$shape", 212, "The type of parameters that are shapes.", since=PREVIEW)
TYPE.add("preview$string", 213, "The type of parameters that are strings.", since=PREVIEW)
TYPE.add("index", 214, "The type of parameters that are numbers.", since=PREVIEW)
TYPE.add("none", 215, "The type of nothing.", since=PREVIEW)
