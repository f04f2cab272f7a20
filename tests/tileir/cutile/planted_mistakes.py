"""Kernels with one mistake each, in the line that ends with "# here"; some arguments bring it out.

Under ``tileir cutile --check memory,undefined,nan`` this prints a line of JSON for each kernel:
what was found with the arguments that are right, and with those that are wrong.
"""

import json

import cuda.tile as ct
import numpy as np

TABLE = []
"""What is expected to be said, the kernel, right arguments, wrong ones."""


def planted(said, right, wrong):
    """A mistake that only the wrong arguments bring out."""

    def add(function):
        kernel = ct.kernel(function)
        TABLE.append((said, function.__name__, kernel, right, wrong))
        return kernel

    return add


def f4(*shape):
    return lambda: np.ones(shape, np.float32)


def i4(*numbers, dtype=np.int32):
    return lambda: np.array(numbers, dtype)


def floats(*numbers, dtype=np.float32):
    return lambda: np.array(numbers, dtype)


# Accesses outside of an array ------------------------------------------------------------------


@planted("access of 4 bytes", [f4(16), 15, f4(1)], [f4(16), 16, f4(1)])
def gather_behind(x, i, y):
    found = ct.gather(x, i, check_bounds=False)  # here
    ct.scatter(y, 0, found)


@planted("access of 4 bytes at offset -4", [f4(16), 0, f4(1)], [f4(16), -1, f4(1)])
def gather_before(x, i, y):
    found = ct.gather(x, i, check_bounds=False)  # here
    ct.scatter(y, 0, found)


@planted("access of 4 bytes", [f4(4, 8), 3, f4(1)], [f4(4, 8), 4, f4(1)])
def gather_row_behind(x, i, y):
    found = ct.gather(x, (i, 0), check_bounds=False)  # here
    ct.scatter(y, 0, found)


@planted("access of 4 bytes", [f4(16), 8, f4(8)], [f4(16), 9, f4(8)])
def gather_tile_behind(x, i, y):
    found = ct.gather(x, ct.arange(8, dtype=ct.int32) + i, check_bounds=False)  # here
    ct.store(y, (0,), found)


@planted("access of 4 bytes", [f4(16), 15], [f4(16), 16])
def scatter_behind(x, i):
    ct.scatter(x, i, 1.0, check_bounds=False)  # here


@planted("access of 4 bytes at offset -8", [f4(16), 0], [f4(16), -2])
def scatter_before(x, i):
    ct.scatter(x, i, 1.0, check_bounds=False)  # here


@planted("access of 4 bytes", [f4(16), 8], [f4(16), 12])
def scatter_tile_behind(x, i):
    places = ct.arange(8, dtype=ct.int32) + i
    ct.scatter(x, places, ct.ones((8,), ct.float32), check_bounds=False)  # here


@planted("access of 4 bytes", [i4(1, 2), 1], [i4(1, 2), 2])
def add_behind(x, i):
    ct.atomic_add(x, i, 1, check_bounds=False)  # here


@planted("access of 4 bytes", [i4(1, 2), 1], [i4(1, 2), 7])
def exchange_behind(x, i):
    ct.atomic_cas(x, i, 1, 5, check_bounds=False)  # here


@planted("access of 8 bytes", [i4(1, 2, dtype=np.int64), 0], [i4(1, 2, dtype=np.int64), -1])
def maximum_before(x, i):
    ct.atomic_max(x, i, 5, check_bounds=False)  # here


@planted("access of 4 bytes", [f4(16), 16, f4(1)], [f4(16), 17, f4(1)])
def loop_too_long(x, n, y):
    total = ct.zeros((), ct.float32)
    for i in range(n):
        total += ct.gather(x, i, check_bounds=False)  # here
    ct.scatter(y, 0, total)


def taken(x, i):
    return ct.gather(x, i, check_bounds=False)  # here: helper_behind


@planted("access of 4 bytes", [f4(16), 2, f4(1)], [f4(16), 99, f4(1)])
def helper_behind(x, i, y):
    ct.scatter(y, 0, taken(x, i))


@planted("access of 4 bytes", [f4(16), 2], [f4(16), 20])
def branch_behind(x, i):
    if i > 10:
        ct.scatter(x, i, 3.0, check_bounds=False)  # here
    else:
        ct.scatter(x, i, 1.0, check_bounds=False)


@planted("access of 2 bytes", [floats(1, 2, dtype=np.float16), 1], [floats(1, dtype=np.float16), 1])
def half_behind(x, i):
    ct.scatter(x, i, 1.0, check_bounds=False)  # here


# Tiles outside of their array --------------------------------------------------------------------


@planted("along dimension 0 is outside", [f4(40), 2, f4(16)], [f4(40), 3, f4(16)])
def load_behind(x, i, y):
    ct.store(y, (0,), ct.load(x, (i,), (16,), padding_mode=ct.PaddingMode.ZERO))  # here


@planted("along dimension 0 is outside", [f4(40), 2], [f4(40), 100])
def store_behind(x, i):
    ct.store(x, (i,), ct.ones((16,), ct.float32))  # here


@planted("along dimension 1 is outside", [f4(8, 16), 1, f4(8, 8)], [f4(8, 16), 2, f4(8, 8)])
def column_behind(x, i, y):
    tile = ct.load(x, (0, i), (8, 8))  # here
    ct.store(y, (0, 0), tile)


@planted("index -1 along dimension 0 is outside", [f4(40), 0], [f4(40), -1])
def store_before(x, i):
    ct.store(x, (i,), ct.ones((16,), ct.float32))  # here


@planted("along dimension 0 is outside", [f4(64), 4, f4(16)], [f4(64), 5, f4(16)])
def tiles_too_many(x, n, y):
    total = ct.zeros((16,), ct.float32)
    for i in range(n):
        total += ct.load(x, (i,), (16,))  # here
    ct.store(y, (0,), total)


@planted("along dimension 0 is outside", [f4(64), 0], [f4(64), 1])
def block_behind(x, shift):
    i = ct.bid(0) + 4 * shift
    ct.store(x, (i,), ct.ones((16,), ct.float32))  # here


@planted("along dimension 0 is outside", [f4(64), 3, f4(16)], [f4(64), 4, f4(16)])
def view_load_behind(x, i, y):
    view = x.tiled_view((16,))
    ct.store(y, (0,), view.load((i,)))  # here


@planted("along dimension 0 is outside", [f4(64), 3], [f4(64), 4])
def view_store_behind(x, i):
    view = x.tiled_view((16,))
    view.store((i,), ct.ones((16,), ct.float32))  # here


# Divisions, shifts, conversions, indices of slices ------------------------------------------------


@planted("division by zero", [i4(1, 2), i4(3, 4), i4(0, 0)], [i4(1, 2), i4(3, 0), i4(0, 0)])
def divided(x, y, z):
    a, b = ct.load(x, (0,), (2,)), ct.load(y, (0,), (2,))
    ct.store(z, (0,), a // b)  # here


@planted("division by zero", [i4(1, 2), i4(3, 4), i4(0, 0)], [i4(1, 2), i4(0, 4), i4(0, 0)])
def remainder(x, y, z):
    a, b = ct.load(x, (0,), (2,)), ct.load(y, (0,), (2,))
    c = a % b  # here
    ct.store(z, (0,), c)


@planted("the quotient does not fit", [i4(-5), i4(-1), i4(0)], [i4(-(2**31)), i4(-1), i4(0)])
def quotient_too_large(x, y, z):
    a = ct.load(x, (0,), (1,))
    b = ct.load(y, (0,), (1,))
    ct.store(z, (0,), a // b)  # here


@planted("division by zero", [i4(1), 2], [i4(1), 0])
def scalar_divided(x, n):
    ct.scatter(x, 0, 7 // n)  # here


@planted(
    "division by zero",
    [i4(1, dtype=np.uint32), i4(2, dtype=np.uint32)],
    [i4(1, dtype=np.uint32), i4(0, dtype=np.uint32)],
)
def unsigned_remainder(x, y):
    a = ct.load(x, (0,), (1,))
    ct.store(x, (0,), a % ct.load(y, (0,), (1,)))  # here


@planted("division by zero", [i4(1), 3], [i4(1), 0])
def rounded_up(x, n):
    ct.scatter(x, 0, ct.cdiv(10, n))  # here


@planted("division by zero", [i4(1, 2, 3, 4), 4], [i4(1, 2, 3, 4), 5])
def loop_divided(x, n):
    for i in range(n):
        rest = 12 // (4 - i)  # here
        ct.scatter(x, i, rest)


@planted("shift by the width or more", [i4(1), 31], [i4(1), 32])
def shifted_left(x, n):
    ct.scatter(x, 0, 1 << n)  # here


@planted("shift by the width or more", [i4(1, 2), i4(3, 4)], [i4(1, 2), i4(3, 40)])
def shifted_right(x, y):
    a = ct.load(x, (0,), (2,))
    ct.store(x, (0,), a >> ct.load(y, (0,), (2,)))  # here


@planted("shift by the width or more", [i4(1), 0], [i4(1), -1])
def shifted_back(x, n):
    ct.scatter(x, 0, 5 >> n)  # here


@planted("does not fit i32", [floats(2e9), i4(0)], [floats(3e9), i4(0)])
def converted_too_large(x, y):
    ct.store(y, (0,), ct.load(x, (0,), (1,)).astype(ct.int32))  # here


@planted("does not fit i32", [floats(1.0, 2.0), i4(0, 0)], [floats(1.0, np.nan), i4(0, 0)])
def converted_nan(x, y):
    tile = ct.load(x, (0,), (2,))
    ct.store(y, (0,), tile.astype(ct.int32))  # here


@planted(
    "does not fit i8",
    [floats(-0.5), i4(0, dtype=np.uint8)],
    [floats(-7.0), i4(0, dtype=np.uint8)],
)
def converted_negative(x, y):
    ct.store(y, (0,), ct.load(x, (0,), (1,)).astype(ct.uint8))  # here


@planted("index 0 of a slice is not below 4", [f4(16), 3, f4(4)], [f4(16), 4, f4(4)])
def slice_behind(x, i, y):
    tile = ct.load(x, (0,), (16,))
    ct.store(y, (0,), ct.extract(tile, (i,), (4,)))  # here


@planted("index 1 of a slice is not below 2", [f4(4, 8), 1, f4(4, 4)], [f4(4, 8), -1, f4(4, 4)])
def slice_before(x, i, y):
    tile = ct.load(x, (0, 0), (4, 8))
    part = ct.extract(tile, (0, i), (4, 4))  # here
    ct.store(y, (0, 0), part)


# What is promised and not true -------------------------------------------------------------------


@planted("div_by<16> is assumed (value = 24)", [f4(64), 32], [f4(64), 24])
def not_divisible(x, n):
    m = ct.assume_divisible_by(n, 16)  # here
    ct.scatter(x, m, 1.0)


@planted("div_by<4> is assumed (value = 7)", [f4(64), 8], [f4(64), 7])
def helper_not_divisible(x, n):
    i = n + 0 * ct.bid(0)
    ct.scatter(x, ct.assume_divisible_by(i, 4), 1.0)  # here


@planted("inbounds is promised", [f4(32), f4(16)], [f4(30), f4(16)])
def load_not_inbounds(x, y):
    tile = ct.load(x, (1,), (16,), check_bounds=False)  # here
    ct.store(y, (0,), tile)


@planted("inbounds is promised", [f4(32)], [f4(30)])
def store_not_inbounds(x):
    ct.store(x, (1,), ct.ones((16,), ct.float32), check_bounds=False)  # here


@planted("the step is not positive", [f4(16), 1], [f4(16), 0])
def standing_still(x, step):
    for i in range(0, 4, step):  # here
        ct.scatter(x, i, 2.0)


# What nobody has written -------------------------------------------------------------------------

BEYOND = "uses an element beyond the edge"


@planted(BEYOND, [f4(16), f4(1)], [f4(12), f4(1)])
def sum_beyond(x, y):
    tile = ct.load(x, (0,), (16,))
    ct.store(y, (0,), ct.sum(tile, keepdims=True))  # here


@planted(BEYOND, [f4(16), f4(1)], [f4(15), f4(1)])
def maximum_beyond(x, y):
    tile = ct.load(x, (0,), (16,))
    most = ct.max(tile * 2 + 1, keepdims=True)  # here
    ct.store(y, (0,), most)


@planted(BEYOND, [f4(5, 16), f4(5)], [f4(5, 13), f4(5)])
def row_sums_beyond(x, y):
    tile = ct.load(x, (0, 0), (8, 16))
    ct.store(y, (0,), ct.sum(tile, axis=1))  # here


@planted(BEYOND, [f4(16), f4(16)], [f4(12), f4(16)])
def copied_beyond(x, y):
    tile = ct.load(x, (0,), (16,))
    ct.store(y, (0,), tile)  # here


@planted(BEYOND, [f4(5, 16), f4(16, 5), f4(5, 5)], [f4(5, 12), f4(12, 5), f4(5, 5)])
def product_beyond(x, y, z):
    a, b = ct.load(x, (0, 0), (8, 16)), ct.load(y, (0, 0), (16, 8))
    c = ct.mma(a, b, ct.zeros((8, 8), ct.float32))  # here
    ct.store(z, (0, 0), c)


@planted(BEYOND, [f4(12, 16), f4(16, 8), f4(12, 8)], [f4(12, 16), f4(16, 8), f4(16, 8)])
def product_rows_beyond(x, y, z):
    a, b = ct.load(x, (0, 0), (16, 16)), ct.load(y, (0, 0), (16, 8))
    c = ct.mma(a, b, ct.zeros((16, 8), ct.float32))
    ct.store(z, (0, 0), c)  # here


@planted(BEYOND, [f4(5, 12), f4(12, 5), 12], [f4(5, 12), f4(12, 5), 16])
def masked_product_beyond(x, y, limit):
    """Scores beyond the edge get minus infinity added, and what they are multiplied with may be
    anything."""
    a, b = ct.load(x, (0, 0), (8, 16)), ct.load(y, (0, 0), (16, 8))
    mask = ct.where(ct.arange(16, dtype=ct.int32) < limit, 0.0, -np.inf)
    p = ct.exp(a + mask.reshape((1, 16)))
    c = ct.mma(p, b, ct.zeros((8, 8), ct.float32))  # here
    ct.store(x, (0, 0), ct.extract(c, (0, 0), (8, 4)))


# NaN and infinities ------------------------------------------------------------------------------

NAN, INFINITY = "makes a NaN", "makes an infinity"


@planted(NAN, [floats(0, 1), floats(1, 1)], [floats(0, 1), floats(0, 1)])
def zero_by_zero(x, y):
    a, b = ct.load(x, (0,), (2,)), ct.load(y, (0,), (2,))
    ct.store(x, (0,), a / b)  # here


@planted(INFINITY, [floats(3, 1), floats(1, 1)], [floats(3, 1), floats(0, 1)])
def three_by_zero(x, y):
    a, b = ct.load(x, (0,), (2,)), ct.load(y, (0,), (2,))
    c = a / b  # here
    ct.store(x, (0,), c * 0)


@planted(NAN, [floats(2, 1)], [floats(2, -1)])
def logarithm(x):
    ct.store(x, (0,), ct.log(ct.load(x, (0,), (2,))))  # here


@planted(INFINITY, [floats(2, 1)], [floats(2, 0)])
def logarithm_of_zero(x):
    a = ct.log(ct.load(x, (0,), (2,)))  # here
    ct.store(x, (0,), ct.exp(a))


@planted(NAN, [floats(2, 1)], [floats(2, -4)])
def root(x):
    ct.store(x, (0,), ct.sqrt(ct.load(x, (0,), (2,))) + 1)  # here


@planted(INFINITY, [floats(2, 1)], [floats(0, 1)])
def root_of_zero(x):
    ct.store(x, (0,), ct.rsqrt(ct.load(x, (0,), (2,))))  # here


@planted(INFINITY, [floats(2, 80)], [floats(2, 90)])
def exponential(x):
    a = ct.exp(ct.load(x, (0,), (2,)))  # here
    ct.store(x, (0,), 1 / (1 + a))


@planted(NAN, [floats(2, np.inf), 1], [floats(2, np.inf), 2])
def infinity_from_itself(x, n):
    a = ct.load(x, (0,), (2,))
    if n > 1:
        a = a - a  # here
    ct.store(x, (0,), a)


@planted(NAN, [floats(1, 2, 3, 4), floats(0)], [floats(*[-np.inf] * 4), floats(0)])
def softmax_of_nothing(x, y):
    a = ct.load(x, (0,), (4,))
    b = ct.exp(a - ct.max(a, keepdims=True))  # here
    ct.store(x, (0,), b / ct.sum(b, keepdims=True))


@planted(
    INFINITY,
    [floats(6e4), floats(0, dtype=np.float16)],
    [floats(7e4), floats(0, dtype=np.float16)],
)
def narrowed(x, y):
    ct.store(y, (0,), ct.load(x, (0,), (1,)).astype(ct.float16))  # here


@planted(INFINITY, [floats(1e38, 2e38, 0, 0), f4(1)], [floats(2e38, 2e38, 0, 0), f4(1)])
def summed(x, y):
    total = ct.sum(ct.load(x, (0,), (4,)), keepdims=True)  # here
    ct.store(y, (0,), total)


@planted(INFINITY, [floats(2, 3), 10], [floats(2, 3), 90])
def product_in_loop(x, n):
    a = ct.load(x, (0,), (2,))
    for _ in range(n):
        a = a * 3  # here
    ct.store(x, (0,), a)


@planted(INFINITY, [f4(8, 16), f4(16, 8)], [lambda: f4(8, 16)() * 1e20, lambda: f4(16, 8)() * 1e20])
def product_of_matrices(x, y):
    a, b = ct.load(x, (0, 0), (8, 16)), ct.load(y, (0, 0), (16, 8))
    c = ct.mma(a, b, ct.zeros((8, 8), ct.float32))  # here
    ct.store(x, (0, 0), ct.cat((c, c), 1))


@planted(INFINITY, [floats(1, 2, 3, 4)], [floats(1e30, 1e30, 3, 4)])
def running_product(x):
    ct.store(x, (0,), ct.cumprod(ct.load(x, (0,), (4,))))  # here


def found(kernel, arguments):
    """What a launch says, and where it went wrong, "" for nothing."""
    given = tuple(each() if callable(each) else each for each in arguments)
    try:
        ct.launch(0, (1,), kernel, given)
    except Exception as error:
        return f"{type(error).__name__}: {error}", getattr(error, "location", "")
    return "", ""


if __name__ == "__main__":
    for said, name, kernel, right, wrong in TABLE:
        print(json.dumps([name, said, found(kernel, right), found(kernel, wrong)]))
