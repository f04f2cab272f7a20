"""Bombs in bytes whose parts are many, deep or long, each part written out."""

from __future__ import annotations

from collections.abc import Callable

from tests.formats import bombs as small
from tests.formats.bombs import COUNTS, DEPTHS, SOURCE, nested_ifs, opcode
from tests.formats.small import RETURN, YIELD, debug, varint

from .bomb import Bomb
from .file_parts import (
    FIRST,
    I8,
    I32,
    NAME,
    POINTER,
    SCALAR,
    TAKES_ONE,
    array,
    assume,
    constant,
    debug_of,
    dictionary,
    entry,
    extents,
    get_global,
    hints,
    module,
    signature,
    tile,
    variable,
)

Made = Callable[[int], bytes]


def body(made: Callable[[int], bytes], **parts) -> Made:
    """Files of one kernel of one i1 parameter with a body of a size."""
    return lambda n: module([entry(signature=TAKES_ONE, body=made(n))], **parts)


def hinted(made: Callable[[int], bytes], texts=(NAME, b"sm_100", b"key")) -> Made:
    """Files of one kernel with hints of a size, for sm_100."""
    return lambda n: module([entry(hints=hints([(1, made(n))]))], texts=texts)


def else_too(depth: int) -> bytes:
    """Ifs inside of each other, with an else that is empty."""
    head = opcode("if") + b"\x00\x00\x02\x01\x00"
    tail = b"\x01\x00\x01" + YIELD
    inner = head + b"\x01" + YIELD + tail
    for _ in range(depth - 1):
        inner = head + b"\x02" + inner + YIELD + tail
    return inner + RETURN


def wide_nests(n: int) -> bytes:
    """A kernel for each: 40 ifs inside of each other."""
    nest = nested_ifs(40)
    return module([entry(i, TAKES_ONE, nest) for i in range(n)], texts=_names(n))


def _names(n: int) -> list[bytes]:
    return [b"k%d" % i for i in range(n)]


def kernels(n: int) -> bytes:
    return module([entry(i) for i in range(n)], texts=_names(n))


def globals_(n: int) -> bytes:
    return module(
        [entry(n)],
        texts=[*_names(n), b"kernel"],
        types=[tile(I8, 1)],
        constants=[b"\x01"],
        variables=[variable(i, FIRST, 0) for i in range(n)],
    )


def uses_of_globals(n: int) -> bytes:
    ops = b"".join(get_global(FIRST + 1, i) for i in range(n))
    return module(
        [entry(n, body=ops + RETURN)],
        texts=[*_names(n), b"kernel"],
        types=[tile(I8, 1), tile(POINTER)],
        constants=[b"\x01"],
        variables=[variable(i, FIRST, 0) for i in range(n)],
    )


def call_sites_of_callees(depth: int) -> bytes:
    """Each call site is what the next one calls."""
    calls = [b"\x06" + varint(4) + varint(number) for number in range(4, depth + 4)]
    return module([entry(location=1)], records=debug([*SOURCE, *calls]))


def many_chains(n: int) -> bytes:
    """An op at each link of a chain of 1,900 calls, over and over."""
    depth = 1900
    calls = [b"\x06" + varint(number) + varint(4) for number in range(4, depth + 4)]
    numbers = [4, *(5 + i % depth for i in range(n))]
    records = debug_of([*SOURCE, *calls], [numbers])
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=records,
    )


def positions(n: int) -> bytes:
    """An op at each of so many positions."""
    places = [b"\x04\x03\x00" + varint(line) + b"\x01" for line in range(n)]
    records = debug_of([*SOURCE, *places], [[4, *range(5, n + 5)]])
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=records,
    )


def subprograms(n: int) -> bytes:
    """A kernel, a subprogram and a position for each."""
    records = [*SOURCE[:2]]
    for i in range(n):
        records.append(b"\x05\x01\x01" + varint(i) * 2 + b"\x02\x01")
        records.append(b"\x04" + varint(3 + 2 * i) + varint(i) + b"\x01\x01")
    lists = [[4 + 2 * i] * 2 for i in range(n)]
    kernels = [entry(i, location=i + 1) for i in range(n)]
    return module(kernels, texts=_names(n), records=debug_of(records, lists))


def foreign_scopes(n: int) -> bytes:
    """Ops in subprograms that are not their kernel's, each in another one."""
    records = [*SOURCE]
    for _ in range(n):
        records.append(b"\x05\x01\x01\x00\x00\x02\x01")
        records.append(b"\x04" + varint(len(records)) + b"\x00\x01\x01")
    numbers = [4, *(6 + 2 * i for i in range(n))]
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=debug_of(records, [numbers]),
    )


def unused_records(n: int) -> bytes:
    records = [*SOURCE, *[b"\x06\x04\x04"] * n, SOURCE[3]]
    return module([entry(location=1)], records=debug(records))


def operands(n: int) -> bytes:
    return opcode("return") + b"\x00" + varint(n) + b"\x00" * n


def results(n: int) -> bytes:
    return opcode("return") + varint(n) + varint(SCALAR) * n + b"\x00"


def block_arguments(n: int) -> bytes:
    head = opcode("if") + b"\x00\x00\x02\x01" + varint(n) + varint(SCALAR) * n
    return head + b"\x01" + YIELD + b"\x00" + RETURN


def blocks(n: int) -> bytes:
    head = opcode("if") + b"\x00\x00\x02" + varint(n)
    return head + (b"\x00\x01" + YIELD) * n + b"\x00" + RETURN


def loops_that_carry(n: int) -> bytes:
    """An if with so many results, yielded from both sides."""
    types = varint(n) + varint(SCALAR) * n
    given = opcode("yield") + b"\x00" + varint(n) + b"\x00" * n
    side = b"\x01\x00\x01" + given
    return opcode("if") + types + b"\x00\x02" + side * 2 + RETURN


def undefined_values(n: int) -> bytes:
    """Ops that use what is not there."""
    return (opcode("yield") + b"\x00\x01\x7f") * n + RETURN


def misplaced(n: int) -> bytes:
    """Terminators of loops where no loop is."""
    return (opcode("continue") + b"\x00\x00") * n + RETURN


def wrong_types(n: int) -> bytes:
    """Ops on types that they do not take."""
    return (opcode("addi") + varint(I32) + b"\x00\x00\x00") * n + RETURN


def assumptions(predicate: bytes) -> Callable[[int], bytes]:
    """A chain of assumptions, each about the one before."""
    return lambda n: b"".join(assume(SCALAR, predicate, i) for i in range(n)) + RETURN


def assumptions_of_one(n: int) -> bytes:
    return assume(SCALAR, b"\x08\x01\x00") * n + RETURN


DIV_BY = b"\x08\x01\x00"

NESTING = [
    Bomb("nesting", "ifs", lambda n: small.module(nested_ifs(n)), 700),
    Bomb("nesting", "ifs with an else", body(else_too), 700),
    Bomb("nesting", "40 ifs in each kernel", wide_nests, 60),
    Bomb("nesting", "ifs, overlong", lambda n: small.module(
        nested_ifs(n, condition=b"\x80\x00", count=lambda c: bytes((c | 128, 0)))), 700),
    Bomb("nesting", "ifs with a lost value inside", lambda n: small.module(
        nested_ifs(n, inner=opcode("yield") + b"\x00\x01\x77")), 700),
    Bomb("nesting", "ifs with a lost opcode inside", lambda n: small.module(
        nested_ifs(n, inner=b"\x7e\x00\x00")), 700),
    *(Bomb("nesting", f"{what}, too deep", made, 25_000) for what, made in DEPTHS.items()),
    Bomb("nesting", "arrays in an assumption", body(
        lambda n: assume(SCALAR, b"\x06\x01" * n + b"\x06\x00") + RETURN), 10_000),
]  # fmt: skip

COUNTED = [
    *(
        Bomb("counts", f"claimed {where}", lambda n, made=made: made(varint(n << 40)), 1000)
        for where, made in COUNTS.items()
    ),
    Bomb("counts", "kernels", kernels, 2000),
    Bomb("counts", "globals", globals_, 2000),
    Bomb("counts", "uses of globals", uses_of_globals, 2000),
    Bomb("counts", "ops", body(lambda n: constant(FIRST) * n + RETURN,
                               types=[tile(I8)], constants=[b"\x01"]), 4000),
    Bomb("counts", "operands", body(operands), 20_000),
    Bomb("counts", "results", body(results), 20_000),
    Bomb("counts", "arguments of a block", body(block_arguments), 20_000),
    Bomb("counts", "blocks", body(blocks), 4000),
    Bomb("counts", "values out of an if", body(loops_that_carry), 10_000),
    Bomb("counts", "lost values", body(undefined_values), 4000),
    Bomb("counts", "misplaced terminators", body(misplaced), 4000),
    Bomb("counts", "ops on wrong types", body(wrong_types), 4000),
    Bomb("counts", "unused types", lambda n: module([entry()], types=[b"\x03"] * n), 8000),
    Bomb("counts", "unused strings", lambda n: module([entry()], texts=[NAME, *[b"x"] * n]), 8000),
    Bomb("counts", "unused constants", lambda n: module([entry()], constants=[b"x"] * n), 4000),
    Bomb("counts", "unused debug records", unused_records, 8000),
    Bomb("counts", "parameters", lambda n: module(
        [entry(signature=FIRST)], types=[signature([SCALAR] * n)]), 20_000),
    Bomb("counts", "results of a signature", lambda n: module(
        [entry(signature=FIRST)], types=[signature([], [SCALAR] * n)]), 20_000),
]  # fmt: skip

LONG = [
    Bomb("lengths", "name of a kernel", lambda n: module([entry()], texts=[b"x" * n]), 250_000),
    Bomb("lengths", "name of control characters",
         lambda n: module([entry()], texts=[b"\x1b" * n]), 250_000),
    Bomb("lengths", "name that is no UTF-8",
         lambda n: module([entry()], texts=[b"\xb2" * n]), 250_000),
    Bomb("lengths", "name of wide characters",
         lambda n: module([entry()], texts=[b"x" + "\U0001f600".encode() * (n // 4)]),
         250_000),
    Bomb("lengths", "name of a source file", lambda n: module(
        [entry(location=1)], texts=[b"x" * n], records=debug(SOURCE)), 250_000),
    Bomb("lengths", "name of a global", lambda n: module(
        [entry()], texts=[NAME, b"x" * n], types=[tile(I8, 1)], constants=[b"\x01"],
        variables=[variable(1, FIRST, 0)]), 250_000),
    Bomb("lengths", "name of a hint", hinted(
        lambda n: dictionary([(2, b"\x03\x01")])), 1),
    Bomb("lengths", "name of a hint, long", lambda n: hinted(
        lambda n: dictionary([(2, b"\x03\x01")]), (NAME, b"sm_100", b"x" * n))(n), 250_000),
    Bomb("lengths", "name of an architecture", lambda n: hinted(
        lambda n: dictionary([(2, b"\x03\x01")]), (NAME, b"x" * n, b"key"))(n), 250_000),
    Bomb("lengths", "constant", lambda n: module(
        [entry(body=constant(FIRST) + RETURN)], types=[tile(I8, 1 << 20)],
        constants=[bytes(1 << 20)]), 1),
    Bomb("lengths", "constant that nothing fits", lambda n: module(
        [entry(body=constant(FIRST) + RETURN)], types=[tile(I8, 1 << 20)],
        constants=[bytes(n)]), 250_000),
    Bomb("lengths", "shape of a tile", lambda n: module(
        [entry(signature=FIRST + 1)], types=[tile(I8, *[1] * n), signature([FIRST])]), 10_000),
    Bomb("lengths", "shape of a tensor view", lambda n: module(
        [entry(signature=FIRST + 1)],
        types=[b"\x0e\x00" + varint(I8) + extents([1] * n) * 2, signature([FIRST])]), 10_000),
    Bomb("lengths", "strings of a list of hints", hinted(
        lambda n: dictionary([(2, array([b"\x05\x00"] * n))])), 20_000),
    Bomb("lengths", "groups of an assumption", body(
        lambda n: assume(SCALAR, b"\x09" + extents([1] * n)) + RETURN), 10_000),
    Bomb("lengths", "unused bytes of a section", lambda n: small.with_functions(
        b"\x01\x00\x02\x02\x00" + varint(len(RETURN)) + RETURN + b"\x01" * n), 100_000),
    Bomb("lengths", "bytes of a string section without strings",
         lambda n: small.with_table(1, b"\x00" + b"\x01" * n), 100_000),
]  # fmt: skip

ATTRIBUTES = [
    Bomb("attributes", "hints of an architecture", lambda n: module(
        [entry(hints=hints([(n, dictionary([(i, b"\x03\x01") for i in range(n)]))]))],
        texts=[*_names(n), b"sm_100"]), 4000),
    Bomb("attributes", "architectures", lambda n: module(
        [entry(hints=hints([(i, dictionary([(i, b"\x03\x01")])) for i in range(n)]))],
        texts=_names(n)), 4000),
    Bomb("attributes", "dictionaries of one entry", hinted(
        lambda n: dictionary([(2, array([dictionary([(2, b"\x03\x01")])] * n))])), 8000),
    Bomb("attributes", "empty arrays", hinted(
        lambda n: dictionary([(2, array([array([])] * n))])), 20_000),
    Bomb("attributes", "arrays two deep", hinted(
        lambda n: dictionary([(2, array([array([array([])] * 10)] * n))])), 2000),
    Bomb("attributes", "the same key twice", hinted(
        lambda n: dictionary([(2, b"\x03\x01")] * n)), 8000),
    Bomb("attributes", "hints of ops", lambda n: small.module(b"".join(
        opcode("yield") + b"\x00\x00" for _ in range(n)) + RETURN), 4000),
    Bomb("attributes", "types", hinted(
        lambda n: dictionary([(2, array([b"\x04" + varint(TAKES_ONE)] * n))])), 8000),
    Bomb("attributes", "assumptions, each about the last", body(assumptions(DIV_BY)), 4000),
    Bomb("attributes", "assumptions about one value", body(assumptions_of_one), 4000),
    Bomb("attributes", "attributes of parameters", lambda n: module(
        [entry(hints=array([dictionary([])] * n))]), 8000),
]  # fmt: skip

LOCATIONS = [
    Bomb("locations", "call sites", DEPTHS["call sites"], 450),
    Bomb("locations", "call sites by callee", call_sites_of_callees, 450),
    Bomb("locations", "lexical blocks", DEPTHS["lexical blocks"], 450),
    Bomb("locations", "ops along a chain", many_chains, 2000),
    Bomb("locations", "positions", positions, 2000),
    Bomb("locations", "subprograms", subprograms, 1000),
    Bomb("locations", "scopes of other functions", foreign_scopes, 1000),
]

BOMBS = [*NESTING, *COUNTED, *LONG, *ATTRIBUTES, *LOCATIONS]
