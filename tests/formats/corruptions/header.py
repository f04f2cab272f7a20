"""Corruptions 1 to 38: magic, version, version tag, and files that claim another version."""

from __future__ import annotations

from .base import MAGIC, V13_1, V13_3, V13_4, V13_5
from .rows import FILE, IN_PART, NEWER, NEWEST, OLDEST, READ, Row, refused, same

NOT_OURS = "input does not correspond to Tile IR bytecode"
NO_HEADER = "failed to parse bytecode header"


def wrong_magic(index: int) -> bytes:
    data = bytearray(FILE.build())
    data[index] ^= 0x20
    return bytes(data)


def cut(size: int) -> bytes:
    return FILE.build()[:size]


def relabelled(module, version: tuple[int, int]) -> bytes:
    return module.build()[:8] + bytes(version) + module.build()[10:]


VERSIONS = ((0, 0), (12, 9), (13, 0), (13, 6), (13, 9), (14, 0), (14, 1), (250, 1))


def unsupported(number: int, version: tuple[int, int]) -> Row:
    major, minor = version
    return refused(
        number,
        f"version {major}.{minor}",
        lambda: relabelled(FILE, version),
        f"@12 unsupported Tile version {major}.{minor}.0",
        IN_PART if version > V13_5 else "version",
    )


def short(number: int, size: int, message: str) -> Row:
    return refused(number, f"cut to {size} bytes", lambda: cut(size), message, "truncated")


ROWS = (
    same(1, "nothing done to it", FILE),
    *[
        refused(2 + i, f"magic byte {i} wrong", lambda i=i: wrong_magic(i), NOT_OURS, "bad_magic")
        for i in range(8)
    ],
    refused(
        10,
        "magic of MLIR bytecode",
        lambda: b"ML\xefR" + FILE.build()[4:],
        "it looks like MLIR bytecode instead",
        "bad_magic",
    ),
    short(11, 0, NOT_OURS),
    short(12, 1, NOT_OURS),
    short(13, len(MAGIC) - 1, NOT_OURS),
    short(14, 8, f"@8 {NO_HEADER}"),
    short(15, 9, f"@9 {NO_HEADER}"),
    short(16, 10, f"@10 {NO_HEADER}"),
    short(17, 11, f"@10 {NO_HEADER}"),
    short(18, 12, "@12 unexpected end of data while reading section header"),
    *[unsupported(19 + i, version) for i, version in enumerate(VERSIONS)],
    refused(
        27,
        "version tag 1 in 13.3",
        FILE.with_(tag=1),
        "@12 public-preview bytecode at version 13.3.1 is not readable",
        "verify",
    ),
    *[
        refused(
            28 + i,
            f"version tag {tag:#x} in 13.3",
            FILE.with_(tag=tag),
            f"@12 header has unrecognized version tag bits (0x{tag & ~1:X})",
            "verify",
        )
        for i, tag in enumerate((2, 3, 0x100, 0xFFFF))
    ],
    refused(
        32,
        "version tag 1 in 13.5",
        NEWEST.with_(tag=1),
        "@12 public-preview bytecode requires at least one enabled preview feature",
        READ,
    ),
    *[
        refused(
            33 + i,
            f"version tag {tag:#x} in 13.5",
            NEWEST.with_(tag=tag),
            f"@12 header has unrecognized version tag bits (0x{tag:X})",
            "bad_value",
        )
        for i, tag in enumerate((2, 0x100))
    ],
    refused(
        35,
        "13.3 called 13.1",
        lambda: relabelled(FILE, V13_1),
        "TensorViewType but got 'i1'",
        "limit",
    ),
    refused(
        36,
        "13.1 called 13.3",
        lambda: relabelled(OLDEST, V13_3),
        "@1 number of globals (1) exceeds the maximum of 0",
        "truncated",
    ),
    refused(
        37,
        "13.4 called 13.3",
        lambda: relabelled(NEWER, V13_3),
        "@18 failed to read shape",
        "limit",
    ),
    refused(
        38,
        "13.5 called 13.4",
        lambda: relabelled(NEWEST, V13_4),
        "@3 operand index 10 out of bounds (size=2)",
        "truncated",
    ),
)
