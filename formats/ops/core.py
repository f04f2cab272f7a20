"""Core ops: the items of a module, constants, and ops that rearrange or combine whole tiles."""

from __future__ import annotations

from tileir.formats.attributes import (
    ATTRIBUTE_LIST,
    CONSTANT_INDEX,
    DICTIONARY,
    INT_LIST,
    STRING_INDEX,
)
from tileir.formats.enums import SYMBOL_VISIBILITY
from tileir.formats.leaves import Bool, EnumValue, VarInt
from tileir.formats.types import TYPE_INDEX
from tileir.formats.version import V13_3, V13_4, V13_5

from .spec import (
    BOOLEAN_TILE,
    ELEMENTS,
    INTEGER_TILE,
    INTEGERS,
    NUMBER_TILE,
    NUMBERS,
    POINTER,
    POINTER_TILE,
    RECURSIVE,
    SYMBOL,
    TILE,
    Attribute,
    Elements,
    Inference,
    Like,
    Op,
    Operand,
    Reduced,
    Region,
    Result,
    TileOf,
    many,
    scalar,
    tile,
    unit,
)

PACKABLE = TileOf(("i4", *NUMBERS), 1)
BYTES = TileOf(("i8",), 1)
SELECTABLE = tile(*(element for element in ELEMENTS if element != "f4E2M1FN"))

SYMBOL_NAME = Attribute("sym_name", STRING_INDEX, "Its name, unique in the module.")
DIMENSION = Attribute(
    "dim", VarInt(), "The dimension along which the op works, less than the rank."
)
SLICE_INDICES = many(
    "indices",
    scalar("i32"),
    "Index of the slice in each dimension, unsigned; out of range is undefined behaviour.",
)


def _same_elements(
    mnemonic: str, opcode: int, doc: str, result: str, *attributes: Attribute, prefix: str = ""
) -> Op:
    """Return the row of an op on one tile; the result has its element type and a stated shape."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(Operand("source", TILE, "The tile to rearrange."),),
        results=(Result("result", TILE, doc=result),),
        attributes=attributes,
        same_element=(("source", "result"),),
        prefix=prefix,
    )


def _coordinates(mnemonic: str, opcode: int, doc: str, prefix: str) -> Op:
    """Return the row of an op that gives a number for each of the three axes of the grid."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        results=tuple(
            Result(f"{prefix}_{axis}", scalar("i32"), doc=f"The number along {axis}.")
            for axis in "xyz"
        ),
        format=f": {{{prefix}_x:type}}",
    )


def _combining(
    mnemonic: str,
    opcode: int,
    doc: str,
    inference: Inference,
    *attributes: Attribute,
    prefix: str = "",
) -> Op:
    """Return the row of an op that combines tiles of one shape along a dimension, by its region."""
    return Op(
        mnemonic,
        opcode=opcode,
        doc=doc,
        operands=(many("operands", TILE, "One tile or more, all of one shape."),),
        results=(Result("results", TILE, inference, "One result for each operand.", "many"),),
        attributes=(
            DIMENSION,
            *attributes,
            Attribute(
                "identities",
                ATTRIBUTE_LIST,
                "Neutral element for each operand: a number of its element type.",
            ),
        ),
        regions=(
            Region(
                "body",
                "Combines two values of each operand; must be associative and free of effects.",
                "two scalar tiles for each operand: in a scan what came before, then the element",
                ("yield",),
                takes=(Elements("operands", 2),),
                gives=(("yield", Elements("operands")),),
            ),
        ),
        effects=RECURSIVE,
        same_shape=(("operands",),),
        format="",
        prefix=prefix,
    )


OPS = (
    _same_elements(
        "broadcast",
        0x0B,
        "Repeat a tile along its dimensions of size 1. The rank stays.",
        "Each dimension as in the source, or any size where that is 1.",
        prefix="bcast",
    ),
    Op(
        "cat",
        opcode=0x0C,
        doc="Join two tiles along a dimension, lhs first. Other dimensions are equal.",
        operands=(
            Operand("lhs", TILE, "First part."),
            Operand("rhs", TILE, "Second part."),
        ),
        results=(
            Result(
                "result", TILE, doc="The joined tile, whose size along `dim` is the sum of both."
            ),
        ),
        attributes=(DIMENSION,),
        same_element=(("lhs", "rhs", "result"),),
    ),
    Op(
        "constant",
        opcode=0x10,
        doc="A tile known when the module is written.",
        results=(Result("result", NUMBER_TILE, doc="The type that the value has."),),
        attributes=(
            Attribute("value", CONSTANT_INDEX, "One element for the whole tile, or all of them."),
        ),
        format="{value} : {result:type}",
        prefix="cst",
    ),
    Op(
        "entry",
        opcode=0x16,
        doc="A kernel: what the host launches, once for each tile block of the grid.",
        attributes=(
            SYMBOL_NAME,
            Attribute("function_type", TYPE_INDEX, "Scalar tiles as parameters, no results."),
            Attribute(
                "arg_attrs",
                ATTRIBUTE_LIST,
                "A dictionary for each parameter.",
                optional=True,
                since=V13_5,
            ),
            Attribute("res_attrs", ATTRIBUTE_LIST, "Empty: there are no results.", optional=True),
            Attribute(
                "optimization_hints",
                DICTIONARY,
                "By architecture: `num_cta_in_cga`, `occupancy`, `num_worker_warps_per_cta`.",
                optional=True,
            ),
        ),
        regions=(
            Region("body", "The ops of each tile block.", "one for each parameter", ("return",)),
        ),
        effects=SYMBOL,
        in_body=False,
        format="",
    ),
    Op(
        "extract",
        opcode=0x26,
        doc="Cut a tile into slices shaped as the result, and take one of them.\n"
        "Slice i starts at element i times the size of the result.",
        operands=(Operand("source", TILE, "The tile to take from."), SLICE_INDICES),
        results=(Result("result", TILE, doc="Same rank; each size divides that of the source."),),
        same_element=(("source", "result"),),
        format="{source}[[{indices}]] : {source:type} -> {result:type}",
    ),
    Op(
        "get_global",
        opcode=0x2C,
        doc="The address of a global of the module.",
        results=(
            Result(
                "result",
                scalar(*POINTER),
                doc="A pointer to its first element, of its element type.",
            ),
        ),
        attributes=(Attribute("name", STRING_INDEX, "The name of the global."),),
        format="{name:symbol} : {result:type}",
    ),
    _coordinates(
        "get_num_tile_blocks",
        0x2E,
        "The size of the grid in tile blocks; 1 along an axis that is not used.",
        "gridSize",
    ),
    _coordinates(
        "get_tile_block_id", 0x30, "The coordinates of this tile block in the grid.", "blockId"
    ),
    Op(
        "global",
        opcode=0x31,
        doc="A variable in global memory, set up when the module is loaded.",
        attributes=(
            SYMBOL_NAME,
            Attribute("value", CONSTANT_INDEX, "The initial contents, a tile of rank 1."),
            Attribute("alignment", VarInt(), "In bytes; 0 leaves it open.", default=0),
            unit("constant", "Kernels only read it.", V13_3),
            Attribute(
                "symbol_visibility",
                EnumValue(SYMBOL_VISIBILITY),
                "Whether other modules can see it.",
                since=V13_3,
                default="public",
            ),
        ),
        effects=SYMBOL,
        in_body=False,
        format="",
    ),
    Op(
        "insert",
        opcode=0x76,
        doc="A copy of a tile with one of its slices replaced.\n"
        "Slice i starts at element i times the size of the source.",
        operands=(
            Operand("source", TILE, "The new slice; each size divides the destination's."),
            Operand("destination", TILE, "The tile to copy, of the same rank."),
            SLICE_INDICES,
        ),
        results=(Result("result", TILE, Like("destination")),),
        since=V13_4,
        same_type=(("destination", "result"),),
        same_element=(("source", "destination"),),
        format="{source}, {destination}[[{indices}]] : {source:type}, {destination:type}",
    ),
    Op(
        "iota",
        opcode=0x3A,
        doc="The numbers 0, 1, 2, ... in order, read as unsigned.",
        results=(
            Result(
                "result",
                TileOf(INTEGERS, 1),
                doc="At most 2^width elements, so that all numbers fit.",
            ),
        ),
    ),
    Op(
        "module",
        opcode=0x4B,
        doc="The file as a whole: globals and kernels under unique names.",
        attributes=(
            Attribute("sym_name", STRING_INDEX, "Its name, which readers make up."),
            Attribute(
                "producer",
                STRING_INDEX,
                "The program that wrote the file, as free text.",
                optional=True,
                since=V13_3,
            ),
        ),
        regions=(Region("body", "Globals and kernels."),),
        effects=SYMBOL,
        in_body=False,
        format="",
    ),
    Op(
        "offset",
        opcode=0x51,
        doc="Move pointers by a number of elements of their pointee.\n"
        "Undefined behaviour if the distance in bytes or the address overflows.",
        operands=(
            Operand("ptr", POINTER_TILE, "The pointers to move."),
            Operand("offset", INTEGER_TILE, "The number of elements, read as signed."),
        ),
        results=(Result("result", POINTER_TILE, Like("ptr")),),
        same_type=(("ptr", "result"),),
        same_shape=(("ptr", "offset", "result"),),
    ),
    Op(
        "pack",
        opcode=0x6F,
        doc=(
            "The bytes of a tile, little-endian; elements below a byte share one, lowest"
            " bits first."
        ),
        operands=(Operand("source", PACKABLE, "A tile of anything but bytes."),),
        results=(Result("result", BYTES, doc="The bytes; as many as the source takes."),),
        since=V13_3,
    ),
    _same_elements(
        "permute",
        0x53,
        "Reorder the dimensions of a tile of rank 2 or more.",
        "Its dimension i is dimension permutation[i] of the source.",
        Attribute("permutation", INT_LIST, "Each dimension of the source once."),
    ),
    _combining(
        "reduce",
        0x58,
        "Combine all elements along a dimension into one.\n"
        "In unspecified order: the accumulator may also be an element, identity or partial result.",
        Reduced("operands"),
        prefix="reduce",
    ),
    _same_elements(
        "reshape",
        0x5B,
        "Give the elements, in row-major order, another shape.",
        "As many elements as in the source.",
        prefix="reshape",
    ),
    _combining(
        "scan",
        0x5E,
        "Inclusive prefix along a dimension: each element combined with all before it.",
        Like("operands"),
        Attribute("reverse", Bool(), "Start at the last element instead of the first."),
    ),
    Op(
        "select",
        opcode=0x5F,
        doc="Choose between two tiles, element by element.",
        operands=(
            Operand(
                "cond",
                BOOLEAN_TILE,
                "For each element, 1 selects val_if_true, 0 val_if_false; a scalar is not enough.",
            ),
            Operand("val_if_true", SELECTABLE, "The element where cond is 1."),
            Operand("val_if_false", SELECTABLE, "The element where cond is 0."),
        ),
        results=(Result("result", SELECTABLE, Like("val_if_true")),),
        same_type=(("val_if_true", "val_if_false", "result"),),
        same_shape=(("cond", "val_if_true", "val_if_false", "result"),),
        format="{cond}, {val_if_true}, {val_if_false} : {cond:type}, {val_if_true:type}",
    ),
    Op(
        "unpack",
        opcode=0x70,
        doc="The inverse of pack: read bytes as elements of another type.",
        operands=(Operand("source", BYTES, "The bytes, little-endian."),),
        results=(Result("result", PACKABLE, doc="The elements; as many as the bytes have."),),
        since=V13_3,
    ),
)
