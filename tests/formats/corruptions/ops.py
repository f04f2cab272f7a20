"""Corruptions 258 to 306: ops, their attributes, operands and regions."""

from __future__ import annotations

from ..small import varint
from .base import (
    BOOL,
    DICTIONARY,
    F32,
    FLOAT,
    I32,
    INTEGER,
    LATENCY,
    POINTER,
    SM_100,
    TENSOR,
    TILE,
    TOKEN,
    Module,
    code,
    numbers,
    sizes,
)
from .rows import FILE, NEWEST, Row, crash, other, refused, same

REST = FILE.body["assume"][1:]
VERIFIED = "@85 value 18446744073709551615 does not fit in 32 bits"


def first_opcode(number: int, opcode: int, message: str, ours: str = "unknown_opcode") -> Row:
    """The first op under another opcode, its fields as they were."""
    return refused(
        number, f"first opcode {opcode}", FILE.ops(assume=varint(opcode) + REST), message, ours
    )


def unsupported(number: int, opcode: int, ours: str = "unknown_opcode") -> Row:
    at = len(varint(opcode))
    message = f"@{at} unsupported opcode {opcode} for bytecode version 13.3"
    return first_opcode(number, opcode, message, ours)


def assume(*fields: int, result: int = POINTER, value: int = 0) -> Module:
    """The first op with another predicate."""
    return FILE.ops(assume=code("assume") + numbers(result, *fields, value))


def load(flags: int, ordering: int = 0, module: Module = FILE) -> Module:
    inbounds = b"\x01\x00" if module is NEWEST else b""
    head = code("load_view_tko") + numbers(2, TILE, TOKEN, flags, ordering)
    return module.ops(load=head + inbounds + numbers(5, 1, 7, 6))


def reduce(identity: bytes) -> Module:
    head = code("reduce") + numbers(1, FLOAT, 0)
    return FILE.ops(reduce=head + identity + numbers(1, 15, 1))


def tensor(count: int) -> Module:
    head = code("make_tensor_view") + numbers(1, TENSOR, 2)
    return FILE.ops(tensor=head + varint(count) + numbers(3, 0))


def add(flags: int, rounding: int = 0, module: Module = FILE) -> Module:
    return module.ops(then_add=code("addf") + numbers(TILE, flags, rounding, 12, 12))


def store(latencies: bytes) -> Module:
    """The hints of the store."""
    head = code("store_view_tko") + numbers(1, TOKEN, 6, 0)
    hints = numbers(1, SM_100) + DICTIONARY + latencies
    return FILE.ops(store=head + hints + numbers(15, 5, 1, 7, 13))


def latency(value: int) -> bytes:
    return numbers(LATENCY) + INTEGER + numbers(I32, value)


def nested(depth: int) -> Module:
    """So many ifs inside each other, before the return; nothing has a location."""
    pieces = [code("if") + numbers(0, 14, 2) + numbers(1, 0, 2)] * (depth - 1)
    pieces.append(code("if") + numbers(0, 14, 2) + numbers(1, 0, 1))
    end = code("yield") + numbers(0, 0) + b"\x00"
    ops = b"".join(pieces) + end * depth
    return FILE.with_(location=b"\x00").ops(**{"return": ops + FILE.body["return"]})


TWO_BLOCKS = {
    "else": b"\x02" + FILE.body["else"][1:],
    "else_yield": FILE.body["else_yield"] + b"\x00\x01" + FILE.body["else_yield"],
}
F64, FLOAT64, TILE64 = 14, 15, 16


def minus_one(bits: bytes) -> Module:
    """The reduction in f64, with that identity."""
    more = [b"\x09", numbers(13, F64, 0), numbers(13, F64) + sizes(16)]
    widen = code("ftof") + numbers(TILE64, 0, 15)
    head = code("reduce") + numbers(1, FLOAT64, 0)
    identity = numbers(1, 2, F64) + bits
    return FILE.with_(
        types=[*FILE.types, *more], indices=[*FILE.indices, 6]
    ).ops(
        reduce=widen + head + identity + numbers(1, 16, 1),
        combine=numbers(1, 2, FLOAT64, FLOAT64, 2),
        combine_add=code("addf") + numbers(FLOAT64, 0, 0, 17, 18),
        combine_yield=code("yield") + numbers(0, 1, 19),
    )  # fmt: skip


MINUS_ONE = 0xBFF0000000000000
ZIGZAG = (MINUS_ONE << 1 ^ -1) & (1 << 64) - 1

ROWS = (
    first_opcode(258, 22, "@4 failed to get referenced type for TypeAttr"),
    first_opcode(259, 49, "@4 failed to read valid MLIR Type for self-contained DenseElementsAttr"),
    first_opcode(260, 75, "string index 16 out of bounds"),
    unsupported(261, 118, "not_available"),
    unsupported(262, 123, "not_available"),
    unsupported(263, 126),
    unsupported(264, 127),
    unsupported(265, 200),
    unsupported(266, 16386, "preview"),
    first_opcode(
        267,
        (1 << 32) + code("return")[0],
        "@8 failed to get result type 1 for ReturnOp",
        "bad_value",
    ),
    refused(
        268,
        "result type 99",
        assume(8, 16, 0, result=99),
        "@2 failed to get result type 0 for AssumeOp",
        "bad_index",
    ),
    refused(
        269,
        "predicate of attribute tag 13",
        assume(13, 16, 0),
        "attribute 'MultimemReductionKindAttr' requires bytecode version 13.5+",
        "not_available",
    ),
    same(270, "attribute tag 256 + 8", assume(264, 16, 0), ours="unknown_tag"),
    refused(
        271,
        "flags byte 0x80 of div_by",
        FILE.ops(assume=code("assume") + numbers(POINTER, 8, 16) + b"\x80" + numbers(0)),
        "@7 operand index 6 out of bounds (size=2)",
        "bad_index",
    ),
    refused(
        272,
        "flag bit 2 of div_by",
        assume(8, 16, 4),
        "@5 unused bits set in optional parameter flags",
        "bad_value",
    ),
    refused(
        273,
        "div_by of a scalar, every 2 along 0",
        assume(8, 16, 3, 4, 0),
        "'every'/'along' cannot be used if the constrained value is a 0D tile",
        "verify",
    ),
    refused(
        274,
        "operand 99",
        assume(8, 16, 0, value=99),
        "@6 operand index 99 out of bounds (size=2)",
        "bad_index",
    ),
    refused(
        275,
        "operand is the op's own result",
        assume(8, 16, 0, value=2),
        "@6 operand index 2 out of bounds (size=2)",
        "bad_index",
    ),
    same(276, "flag bit 3 of a load", load(4 | 8), "unknown_flags"),
    same(277, "flag bit 40 of a load", load(4 | 1 << 40), "unknown_flags"),
    same(278, "flag bit 3 of a load, 13.5", load(4 | 8, module=NEWEST), "unknown_flags"),
    refused(
        279,
        "memory ordering 9",
        load(4, 9),
        "@42 invalid integer value for enum type: 9",
        "bad_value",
    ),
    refused(
        280,
        "a load of 3 results",
        FILE.ops(
            load=code("load_view_tko") + numbers(3, TILE, TOKEN, TOKEN, 4, 0, 5, 1, 7, 6),
            store=FILE.body["store"][:-5] + numbers(16, 5, 1, 7, 13),
            compare=code("cmpi") + numbers(BOOL, 2, 1, 11, 3),
            **{"if": code("if") + numbers(1, TILE, 15, 2)},
            then_yield=code("yield") + numbers(0, 1, 16),
            reduce=code("reduce") + numbers(1, FLOAT, 0, 1, 2, F32, 0, 1, 16, 1),
            combine_add=code("addf") + numbers(FLOAT, 0, 0, 17, 18),
            combine_yield=code("yield") + numbers(0, 1, 19),
        ),
        "'cuda_tile.load_view_tko' op expected 2 results",
        "verify",
    ),
    refused(
        281,
        "an if of one region",
        FILE.ops(**{"if": code("if") + numbers(1, TILE, 14, 1), "else": b"", "else_yield": b""}),
        "@57 cuda_tile.if op expected 2 regions, got 1",
        "bad_value",
    ),
    refused(
        282,
        "an if with a result and no else",
        FILE.ops(**{"else": b"\x00", "else_yield": b""}),
        "'cuda_tile.if' op has non-empty return type, must define else branch",
        "verify",
    ),
    refused(
        283,
        "one op more in a block",
        FILE.ops(then=numbers(1, 0, 3)),
        "@73 invalid block structure",
        "limit",
    ),
    refused(
        284,
        "one op less in a block",
        FILE.ops(then=numbers(1, 0, 1)),
        "@66 invalid block structure",
        "limit",
    ),
    refused(
        285,
        "no op in a block",
        FILE.ops(**{"else": numbers(1, 0, 0)}),
        "@73 invalid block structure",
        "verify",
    ),
    refused(
        286,
        "a region of two blocks",
        FILE.ops(**TWO_BLOCKS),
        "@128 failed to read operation location.",
        "bad_index",
    ),
    refused(
        287,
        "type of a block argument 99",
        FILE.ops(combine=numbers(1, 2, FLOAT, 99, 2)),
        "@92 failed to read block argument type: 1",
        "bad_index",
    ),
    refused(288, "identity without zigzag", reduce(numbers(1, 2, F32, 1)), VERIFIED, "bad_value"),
    refused(
        289,
        "identity is a tile",
        reduce(numbers(1, 2, FLOAT, 0)),
        "@84 failed to read valid FloatType for FloatAttr",
        "bad_index",
    ),
    crash(290, "2^31 identities", reduce(numbers(1 << 31, 2, F32, 0)), "limit"),
    refused(
        291,
        "2^31 extents",
        tensor(1 << 31),
        "@21 failed to read operands for dynamicShape segment, exceeds maximum supported capacity",
        "limit",
    ),
    refused(
        292,
        "2^32 extents",
        tensor(1 << 32),
        "@24 operand index 66 out of bounds (size=4) for dynamicStrides segment, element 1",
        "limit",
    ),
    crash(
        293,
        "2^32-2 returned values",
        FILE.ops(**{"return": code("return") + numbers(0, (1 << 32) - 2)}),
        "limit",
    ),
    same(294, "rounding mode 2^32", add(0, 1 << 32), ours="bad_value"),
    other(295, "flag bits 0 and 1 of addf", add(3), "unknown_flags"),
    other(296, "flag bits 0 and 1 of addf, 13.5", add(3, module=NEWEST), "unknown_flags"),
    refused(
        297,
        "a hint twice",
        store(numbers(2) + latency(2) + latency(2)),
        '@120 failed to parse DictionaryAttr, duplicate key found: "latency"',
        "bad_value",
    ),
    refused(
        298,
        "a hint of 2^32",
        store(numbers(1) + latency(1 << 32)),
        "@120 value 4294967296 does not fit in 32 bits",
        "bad_value",
    ),
    other(299, "2000 ifs inside each other", lambda: nested(2000).build()),
    crash(300, "20,000 ifs inside each other", lambda: nested(20_000).build(), "limit"),
    refused(
        301,
        "a second return, no locations",
        FILE.with_(location=b"\x00").ops(more=FILE.body["return"]),
        "'cuda_tile.return' op must be the last operation in the parent block",
        "verify",
    ),
    refused(
        302,
        "a region of two blocks, no locations",
        FILE.with_(location=b"\x00").ops(**TWO_BLOCKS),
        "'cuda_tile.if' op expects region #1 to have 0 or 1 blocks",
        "verify",
    ),
    other(303, "f64 identity -1", lambda: minus_one(varint(ZIGZAG)).build()),
    other(
        304,
        "f64 identity -1 in 65 bits, as cuTile writes it",
        lambda: minus_one(varint(MINUS_ONE << 1)).build(),
        "wide_varint",
    ),
    refused(
        305,
        "opcode 16386, 13.5",
        NEWEST.ops(assume=varint(16386) + REST),
        "@3 malformed bytecode: encountered public-preview opcode 16386",
        "preview",
    ),
    refused(
        306,
        "attribute tag 216, 13.5",
        NEWEST.ops(assume=code("assume") + numbers(POINTER, 216, 16, 0, 0)),
        "@4 malformed bytecode: encountered public-preview attribute tag 216",
        "preview",
    ),
)
