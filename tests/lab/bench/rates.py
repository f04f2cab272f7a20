"""Ops a second: each way of reading and writing the bodies of a large module."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO

from tileir import Bytecode
from tileir.formats import codec
from tileir.formats import reference as construct_codec
from tileir.formats.cursor import Cursor, Environment, Slice
from tileir.formats.functions import BODY
from tileir.formats.specialised.rows import unpack

from . import by_hand
from .timing import best

SLOW_SHARE = 10
"""Ways that take long are measured on one function in so many, spread over the module."""

CONSTRUCT, BY_HAND = "Construct (reference)", "by hand"
KAITAI = "tests.ksy.tile_ir_bytecode"
"""The parser that the Kaitai compiler makes of the mirror of the schema."""


@dataclass(frozen=True)
class Rate:
    """How fast one way is. Seconds are None where it could not be measured; `note` says why."""

    way: str
    ops: int = 0
    size: int = 0
    seconds: float | None = None
    collected: float | None = None
    note: str = ""

    @property
    def rate(self) -> float | None:
        """Ops a second, the collector off."""
        return self.ops / self.seconds if self.seconds else None

    @property
    def collected_rate(self) -> float | None:
        """Ops a second, the collector on."""
        return self.ops / self.collected if self.collected else None

    @property
    def throughput(self) -> float | None:
        """Megabytes of bodies a second, the collector off."""
        return self.size / self.seconds / 1e6 if self.seconds else None


@dataclass(frozen=True)
class Bodies:
    """Some of the bodies of a module, and how many ops they are."""

    bytecode: Bytecode
    slices: list[Slice]
    ops: int

    @property
    def size(self) -> int:
        """Bytes of all of them."""
        return sum(len(where.data) for where in self.slices)

    @property
    def environment(self) -> Environment:
        """What reading them depends on."""
        return Environment(self.bytecode.version, self.bytecode.types.tags)

    def part(self, share: int) -> Bodies:
        """One in `share`, at even distances."""
        slices = self.slices[share // 2 :: share] or self.slices[:1]
        return Bodies(self.bytecode, slices, count(self.bytecode, slices))


def bodies(bytecode: Bytecode) -> Bodies:
    """All bodies of a module."""
    slices = [function.code for function in bytecode.functions]
    return Bodies(bytecode, slices, count(bytecode, slices))


def count(bytecode: Bytecode, slices: list[Slice]) -> int:
    """The number of ops, nested ones included."""

    def inside(rows) -> int:
        total = 0
        for row in rows:
            total += 1
            regions = row[-1] if BODY.subcon.arms[row[0]].nested else ()
            total += sum(inside(ops) for region in regions for _, ops in region)
        return total

    return sum(inside(rows) for rows in specialised(Bodies(bytecode, slices, 0)))


# Ways ---------------------------------------------------------------------------------------


def construct(given: Bodies, _=None) -> list:
    """Records of named fields, as Construct interprets the schema."""
    return [construct_codec.parse(BODY, cursor, "body") for cursor in _cursors(given)]


def by_hand_decoder(given: Bodies, _=None) -> list:
    """Rows, by the decoder that is written by hand."""
    minor, tags = given.bytecode.version.minor, given.bytecode.types.tags
    return [by_hand.decode(bytes(where.data), minor, tags) for where in given.slices]


def specialised(given: Bodies, _=None) -> list:
    """Rows, by the generated decoder."""
    bytecode = given.bytecode
    version, tags = bytecode.version, bytecode.types.tags
    return [codec.parse_body(bytecode.data, where, version, tags) for where in given.slices]


def traced(given: Bodies, _=None) -> list:
    """Rows and a span for each leaf, by the generated decoder that can trace."""
    node = codec.specialised(given.bytecode.version).traced.node(BODY)
    return [node._parse(cursor, None, "body") for cursor in _cursors(given, trace=True)]


def kaitai(given: Bodies, root) -> list:
    """Objects, by the parser that the Kaitai compiler generates."""
    made, stream = type(root).OpStream, importlib.import_module(KAITAI).KaitaiStream
    return [made(stream(BytesIO(bytes(where.data))), root, root) for where in given.slices]


def encoder(given: Bodies, rows: list) -> list[bytes]:
    """Bytes of rows, by the generated encoder."""
    version, tags = given.bytecode.version, given.bytecode.types.tags
    return [codec.build(BODY, row, version, tags) for row in rows]


def construct_encoder(given: Bodies, records: list) -> list[bytes]:
    """Bytes of records of named fields, as Construct interprets the schema."""
    return [construct_codec.build(BODY, record, given.environment) for record in records]


def resolved(bytecode: Bytecode) -> list:
    """The IR of all bodies; where the ops are in source nobody has asked yet."""
    return [function.body for function in bytecode.functions]


def _cursors(given: Bodies, trace: bool = False) -> Iterator[Cursor]:
    data, environment = given.bytecode.data, given.environment
    for offset, window in given.slices:
        end, spans = offset + len(window), [] if trace else None
        yield Cursor(data, offset, end, "Func", environment, trace=spans)


def kaitai_root(given: Bodies):
    """The Kaitai object of the file, None if no such parser is in the tree."""
    if importlib.util.find_spec("tests.ksy") is None or importlib.util.find_spec(KAITAI) is None:
        return None
    module = importlib.import_module(KAITAI)
    return module.TileIrBytecode(module.KaitaiStream(BytesIO(bytes(given.bytecode.data))))


# Measuring ----------------------------------------------------------------------------------


def measure(data: bytes, repeat: int) -> Iterator[Rate]:
    """A rate for each way, in the order of the table."""
    everything = bodies(Bytecode.parse(data))
    some = everything.part(SLOW_SHARE)
    yield _rate(CONSTRUCT, construct, some, repeat)
    root = kaitai_root(some)
    if root is None:
        yield Rate("Kaitai's Python parser", note="not built")
    else:
        kaitai(some, root)  # it reads the types when it first needs them
        yield _rate("Kaitai's Python parser", kaitai, some, repeat, root)
    yield _rate(BY_HAND, by_hand_decoder, everything, repeat)
    yield _rate("specialised", specialised, everything, repeat)
    yield _rate("specialised, with trace", traced, some, repeat)
    rows = specialised(everything)
    yield _rate("encoder, specialised", encoder, everything, repeat, rows)
    records = [unpack(BODY, row, some.bytecode.version) for row in specialised(some)]
    yield _rate("encoder, Construct", construct_encoder, some, repeat, records)
    ops, size = everything.ops, everything.size
    del rows, records
    for way, run in (
        ("resolved IR", resolved),
        ("resolved IR and locations (touch)", Bytecode.touch),
    ):
        timed = partial(best, run, repeat, setup=lambda: Bytecode.parse(data))
        yield Rate(way, ops, size, timed(), timed(collector=True))


def _rate(way: str, run: Callable, given: Bodies, repeat: int, subject=None) -> Rate:
    run(given.part(SLOW_SHARE), subject[:1] if isinstance(subject, list) else subject)
    timed = partial(best, lambda _: run(given, subject), repeat)
    return Rate(way, given.ops, given.size, timed(), timed(collector=True))
