"""Bombs in bytes in which very many parts use one thing of some size, or things that overlap."""

from __future__ import annotations

from tests.formats.bombs import SHARED, SOURCE, opcode
from tests.formats.small import RETURN, debug, file, kernel, table, varint

from .bomb import Bomb
from .file_parts import (
    F32,
    FIRST,
    I1,
    I8,
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
    overlapping,
    signature,
    tile,
    variable,
)

LENGTH = 50
"""A shared thing takes so many bytes for each of its users."""


# Strings that lie on top of each other


def overlapping_names(n: int) -> bytes:
    """Kernels with names that are the ends of one string."""
    return module([entry(i) for i in range(n)], texts=overlapping(n, LENGTH * n))


def overlapping_globals(n: int) -> bytes:
    return module(
        [entry(0)],
        texts=overlapping(n + 1, LENGTH * n),
        types=[tile(I8, 1)],
        constants=[b"\x01"],
        variables=[variable(i + 1, FIRST, 0) for i in range(n)],
    )


def overlapping_hints(n: int) -> bytes:
    given = dictionary([(i, b"\x03\x01") for i in range(n)])
    return module([entry(hints=hints([(n, given)]))], texts=overlapping(n + 1, LENGTH * n))


def overlapping_texts(n: int) -> bytes:
    given = dictionary([(0, array([b"\x05" + varint(i) for i in range(n)]))])
    return module([entry(hints=hints([(0, given)]))], texts=overlapping(n, LENGTH * n))


def overlapping_files(n: int) -> bytes:
    places = [b"\x04\x03" + varint(i) + b"\x01\x01" for i in range(n)]
    records = debug_of([*SOURCE, *places], [[4, *range(5, n + 5)]])
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        texts=overlapping(n, LENGTH * n),
        types=[tile(I8)],
        constants=[b"\x01"],
        records=records,
    )


def overlapping_unused(n: int) -> bytes:
    return module([entry(0)], texts=overlapping(n, LENGTH * n))


def overlapping_uses(n: int) -> bytes:
    ops = b"".join(get_global(FIRST + 1, i) for i in range(n))
    return module(
        [entry(0, body=ops + RETURN)],
        texts=overlapping(n, LENGTH * n),
        types=[tile(I8, 1), tile(POINTER)],
    )


# One long string for all


def long(n: int) -> bytes:
    return b"x" * (LENGTH * n)


def one_name(n: int) -> bytes:
    return module([entry()] * n, texts=[long(n)])


def one_quoted_name(n: int) -> bytes:
    return module([entry()] * n, texts=[b"\n" * (LENGTH * n)])


def one_global_name(n: int) -> bytes:
    return module(
        [entry()],
        texts=[NAME, long(n)],
        types=[tile(I8, 1)],
        constants=[b"\x01"],
        variables=[variable(1, FIRST, 0)] * n,
    )


def wrong_global_name(n: int) -> bytes:
    """Names of globals that are not there."""
    return module(
        [entry(body=get_global(FIRST + 1, 1) * n + RETURN)],
        texts=[NAME, long(n)],
        types=[tile(I8, 1), tile(POINTER)],
    )


def right_global_name(n: int) -> bytes:
    return module(
        [entry(body=get_global(FIRST + 1, 1) * n + RETURN)],
        texts=[NAME, long(n)],
        types=[tile(I8, 1), tile(POINTER)],
        constants=[b"\x01"],
        variables=[variable(1, FIRST, 0)],
    )


def ill_typed_global(n: int) -> bytes:
    return module(
        [entry(body=get_global(FIRST + 1, 1) * n + RETURN)],
        texts=[NAME, long(n)],
        types=[tile(F32, 1), tile(POINTER)],
        constants=[bytes(4)],
        variables=[variable(1, FIRST, 0)],
    )


def problems_in_a_kernel_of_a_long_name(n: int) -> bytes:
    return module([entry(body=(opcode("continue") + b"\x00\x00") * n + RETURN)], texts=[long(n)])


def texts_of_a_list(n: int) -> bytes:
    given = dictionary([(1, array([b"\x05\x02"] * n))])
    return module([entry(hints=hints([(1, given)]))], texts=[NAME, b"sm_100", long(n)])


def messages(n: int) -> bytes:
    """Assertions with one message."""
    ops = (opcode("assert") + b"\x01\x00") * n
    return module([entry(signature=TAKES_ONE, body=ops + RETURN)], texts=[NAME, long(n)])


def hints_of_kernels(n: int) -> bytes:
    """Kernels with hints for one architecture of a long name."""
    given = hints([(1, dictionary([(1, b"\x03\x01")]))])
    return module([entry(hints=given)] * n, texts=[NAME, long(n)])


def one_file_name(n: int) -> bytes:
    """Ops at positions in one file of a long name, each at another one."""
    places = [b"\x04\x03\x01" + varint(line) + b"\x01" for line in range(n)]
    records = debug_of([*SOURCE, *places], [[4, *range(5, n + 5)]])
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        texts=[NAME, long(n)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=records,
    )


def one_position(n: int) -> bytes:
    """Ops at one position in a file of a long name."""
    records = debug([*SOURCE[:3], b"\x04\x03\x01\x01\x01"], ops=n)
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        texts=[NAME, long(n)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=records,
    )


def one_linkage_name(n: int) -> bytes:
    """Kernels whose subprograms have one other name, a long one."""
    records = [b"\x02\x01\x01", b"\x01\x01"]
    for _ in range(n):
        records.append(b"\x05\x01\x01\x01\x01\x02\x01")
        records.append(b"\x04" + varint(len(records)) + b"\x01\x01\x01")
    lists = [[4 + 2 * i] * 2 for i in range(n)]
    return module(
        [entry(location=i + 1) for i in range(n)],
        texts=[NAME, long(n)],
        records=debug_of(records, lists),
    )


def wrong_scopes(n: int) -> bytes:
    """Ops in a subprogram of a long name that is not their kernel's."""
    other = b"\x05\x01\x01\x01\x01\x02\x01"
    records = [*SOURCE, other, b"\x04\x05\x01\x01\x01"]
    return module(
        [entry(body=constant(FIRST) * (n - 1) + RETURN, location=1)],
        texts=[NAME, long(n)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=debug_of(records, [[4, *[6] * n]]),
    )


def inlined_kernels(n: int) -> bytes:
    """Kernels whose location is a call, in a file of a long name."""
    records = [*SOURCE[:3], b"\x04\x03\x01\x01\x01", b"\x06\x04\x04"]
    return module(
        [entry(location=1)] * n, texts=[NAME, long(n)], records=debug_of(records, [[5, 5]])
    )


def same_list(n: int) -> bytes:
    """Kernels that share one list of locations."""
    ops = constant(FIRST) * 9 + RETURN
    return module(
        [entry(i, body=ops, location=1) for i in range(n)],
        texts=[b"k%d" % i for i in range(n)],
        types=[tile(I8)],
        constants=[b"\x01"],
        records=debug_of(SOURCE, [[4] * 11]),
    )


def warned_in_a_long_name(n: int) -> bytes:
    """Overlong varints, each a warning."""
    body = (opcode("yield") + b"\x80\x00\x00") * n + RETURN
    return module([entry(signature=TAKES_ONE, body=body)], texts=[long(n)])


# One long type for all


def rank(n: int) -> list[int]:
    return [1] * (LENGTH // 8 * n)


def one_type(body, *, more=()) -> bytes:
    return lambda n: module(
        [entry(signature=FIRST + 1, body=body(n))],
        types=[tile(I8, *rank(n)), signature([FIRST]), *more],
        constants=[b"\x01"],
    )


def signatures(n: int) -> bytes:
    """Kernels with one signature of as many parameters."""
    return module(
        [entry(i, FIRST) for i in range(n)],
        types=[signature([SCALAR] * n)],
        texts=[b"k%d" % i for i in range(n)],
    )


def bad_signatures(n: int) -> bytes:
    """Kernels with one signature of as many parameters, which cannot be parameters."""
    return module(
        [entry(i, FIRST + 1) for i in range(n)],
        types=[tile(I8, 1), signature([FIRST] * n)],
        texts=[b"k%d" % i for i in range(n)],
    )


def signature_results(n: int) -> bytes:
    return module(
        [entry(i, FIRST) for i in range(n)],
        types=[signature([], [SCALAR] * n)],
        texts=[b"k%d" % i for i in range(n)],
    )


def not_signatures(n: int) -> bytes:
    """Kernels whose signature is a long type."""
    return module([entry(0, FIRST)] * n, types=[tile(I8, *rank(n))])


def views_of_a_view(n: int) -> bytes:
    """Types that hold one long type, each used."""
    view = b"\x0e\x00" + varint(I8) + extents(rank(n)) * 2
    others = [
        b"\x0f\x00\x00" + varint(FIRST) + varint(i % 7) + bytes(4 * (i % 7)) for i in range(n)
    ]
    return module(
        [entry(signature=FIRST + n + 1)],
        types=[view, *others, signature(range(FIRST + 1, FIRST + n + 1))],
    )


def parameters_of_a_type(n: int) -> bytes:
    return module([entry(signature=FIRST + 1)], types=[tile(I8, *rank(n)), signature([FIRST] * n)])


def types_in_hints(n: int) -> bytes:
    given = dictionary([(1, array([b"\x04" + varint(FIRST)] * n))])
    return module(
        [entry(hints=hints([(1, given)]))], types=[tile(I8, *rank(n))], texts=[NAME, b"sm_100"]
    )


def typed_wrongly(n: int) -> bytes:
    """Ops whose operand has a long type where a number is due, and other results."""
    return (
        b"".join(opcode("addi") + varint(FIRST) + b"\x00\x00" + varint(0) for _ in range(n))
        + RETURN
    )


def pairs_of_types(n: int) -> bytes:
    """Ops on pairs of long types, all pairs different."""
    side = max(2, int(n**0.5))
    types = [tile(I8, *[1] * side) for _ in range(side)]
    ops = b"".join(
        opcode("addi")
        + varint(FIRST + i % side)
        + b"\x00"
        + varint(i // side % side)
        + varint(i % side)
        for i in range(n)
    )
    return module(
        [entry(signature=FIRST + side, body=ops + RETURN)],
        types=[*types, signature(range(FIRST, FIRST + side))],
    )


# One constant for all


def one_constant(value: bytes, repeat: int = LENGTH):
    def made(n: int) -> bytes:
        size = 1 << (repeat * n - 1).bit_length()
        return module(
            [entry(body=constant(FIRST) * n + RETURN)],
            types=[tile(I8, size)],
            constants=[value * (size - 1) + b"\x07"],
        )

    return made


def constant_of_equals(n: int) -> bytes:
    size = 1 << (LENGTH * n - 1).bit_length()
    return module(
        [entry(body=constant(FIRST) * n + RETURN)],
        types=[tile(I8, size)],
        constants=[b"\x07" * size],
    )


def constant_of_bits(n: int) -> bytes:
    size = 1 << (LENGTH * n - 1).bit_length()
    return module(
        [entry(body=constant(FIRST) * n + RETURN)],
        types=[tile(I1, size * 8)],
        constants=[b"\xff" * size],
    )


def constant_of_many_types(n: int) -> bytes:
    """One constant under types of many shapes."""
    size = (LENGTH * n - 1).bit_length()
    shapes = [[1] * (i % 100) + [1 << size] + [1] * (i // 100) for i in range(n // 20)]
    return module(
        [entry(body=b"".join(constant(FIRST + i % len(shapes)) for i in range(n)) + RETURN)],
        types=[tile(I8, *shape) for shape in shapes],
        constants=[b"\x07" * (1 << size)],
    )


def globals_of_a_constant(n: int) -> bytes:
    size = 1 << (LENGTH * n - 1).bit_length()
    return module(
        [entry()],
        texts=[NAME, *(b"g%d" % i for i in range(n))],
        types=[tile(I8, size)],
        constants=[b"\x07" * (size - 1) + b"\x08"],
        variables=[variable(i + 1, FIRST, 0) for i in range(n)],
    )


def constant_that_does_not_fit(n: int) -> bytes:
    return module(
        [entry(body=constant(FIRST) * n + RETURN)],
        types=[tile(I8, 1 << 20)],
        constants=[bytes(LENGTH * n)],
    )


def constants_in_hints(n: int) -> bytes:
    size = 1 << (LENGTH * n - 1).bit_length()
    dense = b"\x07" + varint(FIRST) + varint(0)
    given = dictionary([(1, array([dense] * n))])
    return module(
        [entry(hints=hints([(1, given)]))],
        types=[tile(I8, size)],
        texts=[NAME, b"sm_100"],
        constants=[b"\x07" * (size - 1) + b"\x08"],
    )


def dense_assumptions(n: int) -> bytes:
    size = 1 << (LENGTH * n - 1).bit_length()
    dense = b"\x07" + varint(FIRST) + varint(0)
    return module(
        [entry(signature=TAKES_ONE, body=assume(SCALAR, dense) * n + RETURN)],
        types=[tile(I8, size)],
        constants=[b"\x07" * (size - 1) + b"\x08"],
    )


def splats(n: int) -> bytes:
    """Constants of 2^24 elements, of which one is stored."""
    return module(
        [entry(body=constant(FIRST) * n + RETURN)], types=[tile(I8, 1 << 24)], constants=[b"\x07"]
    )


def overlapping_constants(n: int) -> bytes:
    data = b"\x07" * (LENGTH * n)
    offsets = [0] * n
    payload = table([varint(len(data)) + data, *[b""] * (n - 1)], width=8, offsets=offsets)
    return file(*kernel([b"\x10\x00\x00"]), (4, 8, payload))


# Names


def clashing(n: int) -> bytes:
    """Names that PTX spells alike."""
    return module(
        [entry(i) for i in range(n)],
        texts=[b"k" + bytes([b"!$%&-+"[(i >> 2 * b) % 6] for b in range(8)]) for i in range(n)],
    )


def alike(n: int) -> bytes:
    return module([entry()] * n)


def alike_globals(n: int) -> bytes:
    return module(
        [entry()], types=[tile(I8, 1)], constants=[b"\x01"], variables=[variable(0, FIRST, 0)] * n
    )


BOMBS = [
    *(Bomb("sharing", name, lambda n, made=made: made(), 1) for name, made in SHARED.items()),
    *(Bomb("sharing", made.__name__.replace("_", " "), made, 1000) for made in (
        overlapping_names, overlapping_globals, overlapping_hints, overlapping_texts,
        overlapping_files, overlapping_unused, overlapping_uses, overlapping_constants,
        hints_of_kernels, texts_of_a_list, messages, same_list)),
    *(Bomb("names", made.__name__.replace("_", " "), made, 1000) for made in (
        one_name, one_quoted_name, one_global_name, wrong_global_name, right_global_name,
        ill_typed_global, problems_in_a_kernel_of_a_long_name, warned_in_a_long_name,
        clashing, alike, alike_globals)),
    *(Bomb("locations", made.__name__.replace("_", " "), made, 1000) for made in (
        one_file_name, one_position, one_linkage_name, wrong_scopes, inlined_kernels)),
    *(Bomb("types", made.__name__.replace("_", " "), made, 750) for made in (
        signatures, bad_signatures, signature_results, not_signatures, views_of_a_view,
        parameters_of_a_type, types_in_hints, pairs_of_types)),
    Bomb("types", "ops of a long type", one_type(lambda n: constant(FIRST) * n + RETURN), 750),
    Bomb("types", "ops typed wrongly", one_type(typed_wrongly), 750),
    Bomb("types", "assumptions of a long type",
         one_type(lambda n: assume(FIRST, b"\x08\x01\x00") * n + RETURN), 750),
    Bomb("constants", "one constant", one_constant(b"\x05"), 1000),
    *(Bomb("constants", made.__name__.replace("_", " "), made, 1000) for made in (
        constant_of_equals, constant_of_bits, constant_of_many_types, globals_of_a_constant,
        constant_that_does_not_fit, constants_in_hints, dense_assumptions, splats)),
]  # fmt: skip
