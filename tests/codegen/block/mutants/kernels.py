"""The kernels that defects are put into, with launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from tests.codegen.emulator.kernels_with_barriers import KERNELS_WITH_BARRIERS
from tests.codegen.emulator.values import aligned
from tests.codegen.emulator.ways_to_launch import Fixture, contents
from tests.codegen.nvptx import gathering_loops
from tests.codegen.nvptx.converted_loops import DTYPES, M, N, Side, launch, text
from tests.codegen.nvptx.emit import test_group_products as group_products
from tests.codegen.nvptx.emit.test_read_ahead import text as row_maxima
from tests.codegen.nvptx.loops import COLUMNS, DEPTH, ROWS, loop_over_tiles
from tests.codegen.nvptx.passes import test_clusters as clusters
from tests.codegen.nvptx.passes import test_delay_products as delays
from tests.codegen.nvptx.passes import test_overlap_products as overlaps
from tests.codegen.nvptx.passes import test_tensor_rings as tensor_rings
from tests.codegen.nvptx.passes import test_tensor_stores as stores
from tests.lab.bench.workloads.cases import CASES, HERE, Case, fmha_backward, gqa_decode
from tests.launches import Launch, newest
from tileir import assemble

from .texts import TEXTS
from .trial import Kernel, Start


def fixture(name: str, target: str = "sm_90") -> Kernel:
    """A fixture: as it comes, and in the ways of `ways_to_launch`."""
    about = Launch(name)

    def start() -> tuple[list[Any], Any, Callable[[], bool]]:
        arrays = about.arrays()
        return about.arguments(arrays), about.grid, lambda: _is_right(about, arrays)

    return Kernel(newest(name), about.entry, target, (start, *_other_ways(name)))


def _is_right(about: Launch, arrays: dict[str, np.ndarray]) -> bool:
    try:
        about.check(arrays)
    except AssertionError:
        return False
    return True


def _other_ways(name: str) -> list[Start]:
    """The launches in which arrays overlap: what tokens order shows in them."""
    original = Fixture(name)
    expected: dict[Any, list[Any]] = {}
    for way, _, result in original.ways():
        expected.setdefault(way, []).append(result)

    def start(way: Any) -> tuple[list[Any], Any, Callable[[], bool]]:
        args = original.arguments(way)
        return args, original.grid(way), lambda: contents(args) == expected[way][0]

    steady = [way for way, (one, *more) in expected.items() if more == [one]]
    return [lambda way=way: start(way) for way in steady]


def product() -> Kernel:
    """A sum of products, with tiles at the edge and beyond it: a ring of copies."""

    def start(size: int, bounds: tuple[int, ...]) -> Any:
        random = np.random.default_rng(size)
        pitch = -(-size // DEPTH) * DEPTH
        x = aligned(random.integers(1, 9, (ROWS, pitch)).astype(np.float16))
        w = aligned(random.integers(-9, 9, (DEPTH, COLUMNS)).astype(np.float16))
        inside = np.where(np.arange(pitch) < size, x, 0).astype(np.float32)
        expected = inside.reshape(ROWS, -1, DEPTH).sum(axis=1) @ w.astype(np.float32)
        z = aligned(np.zeros_like(expected))
        return [x, w, z, size, pitch, *bounds], 1, lambda: (z == expected).all()

    launches = tuple(
        lambda size=size, bounds=bounds: start(size, bounds)
        for size, bounds in ((170, (0, 6, 1)), (20, (0, 4, 1)))
    )
    return Kernel(assemble(loop_over_tiles()), "k", "sm_80", launches)


def converted() -> Kernel:
    """A sum of products with bytes, which become f16 when they are read."""
    sides = Side("f16", "f16"), Side("i8", "f16")

    def start() -> Any:
        args, expected = launch(*sides, M - 3, 75, N - 5)
        return args, 1, lambda: (args[-2] == expected).all()

    return Kernel(assemble(text(*sides)), "k", "sm_80", (start,))


def gathered() -> Kernel:
    """A sum of products with rows that are gathered through pointers: a ring of copies."""

    def start(shape: tuple[int, ...]) -> Any:
        args, expected = gathering_loops.launch(*shape)
        return args, 1, lambda: (args[3] == expected).all()

    shapes = (8, 23, 240), (2, 32, 64)  # longer and shorter than the ring
    starts = tuple(lambda shape=shape: start(shape) for shape in shapes)
    return Kernel(assemble(gathering_loops.text()), "k", "sm_80", starts)


def by_hand(name: str) -> Kernel:
    """A kernel of `texts`."""
    text, launches = TEXTS[name]

    def start(make: Any) -> tuple[list[Any], Any, Callable[[], bool]]:
        args, expected = make()
        args = [aligned(each) if isinstance(each, np.ndarray) else each for each in args]
        arrays = [each for each in args if isinstance(each, np.ndarray)]
        pairs = list(zip(arrays, expected, strict=True))
        return args, 1, lambda: all((found == wanted).all() for found, wanted in pairs)

    starts = tuple(lambda make=make: start(make) for make in launches)
    return Kernel(assemble(text), "k", "sm_80", starts)


def read_ahead() -> Kernel:
    """Maxima of rows, of tiles that are loaded into registers an iteration ahead."""
    x = np.random.default_rng(7).integers(-64, 64, (16, 400)).astype(np.float32)
    maxima = [x[:, first : first + 128].max(1) for first in range(0, 400, 128)]

    def start() -> tuple[list[Any], Any, Callable[[], bool]]:
        y = np.zeros(16, np.float32)
        return [aligned(x), y, 400, 1], 1, lambda: (y == sum(maxima)).all()

    return Kernel(assemble(row_maxima()), "most", "sm_80", (start,))


def workload(name: str, target: str = "sm_80") -> Kernel:
    """A kernel of the benchmarks, on a small problem, and on what more its defects need to show."""
    cases = [CASES[name](), *(each() for each in _MORE_CASES.get(name, ()))]
    starts = tuple(lambda case=case: _case_start(case) for case in cases)
    if name == "rope":
        starts += (_overlapping_heads,)
    text = (HERE / f"{name}.mlir").read_text(encoding="utf-8")
    return Kernel(assemble(text), name, target, starts)


_MORE_CASES: dict[str, tuple[Callable[[], Case], ...]] = {
    "fmha_backward": (lambda: fmha_backward(rows=144),),
    "gqa_decode": (lambda: gqa_decode(sharpness=100),),
}
"""More iterations than are loaded before the loop; rows whose maxima are far apart."""


def _case_start(case: Case) -> Any:
    return case.arguments(), case.grid, lambda: _passes(case.check)


def _overlapping_heads() -> Any:
    """The first token of rope, where the second half of each head is the first half of the next."""
    case = CASES["rope"]()
    args, heads, half = case.arguments(), 16, 64
    args[-2] = half
    both = case.expected["y"][0, :heads]
    expected = np.vstack([both[:1, :half], both[:, half:]])

    def is_right() -> bool:
        found = case.copies["y"].ravel()[: expected.size].astype(np.float64)
        return np.allclose(found, expected.ravel(), case.tolerance, case.tolerance)

    return args, 1, is_right


def _passes(check: Callable[[], None]) -> bool:
    try:
        check()
    except AssertionError:
        return False
    return True


def in_place(name: str) -> Kernel:
    """A kernel whose accesses of one array are ordered by tokens."""
    module, shape, function = KERNELS_WITH_BARRIERS[name]()

    def start() -> Any:
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        expected = function(x.copy())
        return [x], 1, lambda: (x == expected).all()

    return Kernel(module, "k", "sm_90", (start,))


def product_of_warpgroups(
    with_maps: bool,
    terms: Mapping[str, object] | None = None,
    again: bool = True,
    deep: bool = False,
) -> Kernel:
    """A sum of products of f16, fed by tensor copies, or by copies of threads.

    With tensor copies and `again`, it is made two times, as a persistent kernel uses its rings. If
    it says how many warps a block has, all of them have one role. Slots of `deep` ones are large.
    """
    text, again = tensor_rings.TEXT, again and with_maps
    if deep:
        text = overlaps.deeper(text)
    if again:
        text = text.replace(
            "    %sum = for",
            "    %two = constant <i32: 2> : tile<i32>\n"
            "    %sum = for %again in (%zero to %two, step %one) : tile<i32>\n"
            "        iter_values(%before = %none) -> (tile<64x64xf32>) {\n    %more = for",
        )
        text = text.replace("(%acc = %none)", "(%acc = %before)")
        text = text.replace("    %u =", "    continue %more : tile<64x64xf32>\n    }\n    %u =")
    elif not with_maps:  # no map can have a stride that the kernel computes
        text = text.replace("strides = [%sa2, 1]", "strides = [%computed, 1]").replace(
            "    %va =",
            "    %two = constant <i32: 2> : tile<i32>\n"
            "    %computed = muli %sa2, %two : tile<i32>\n    %va =",
        )
    factor = 1 if with_maps else 2

    def start() -> Any:
        random = np.random.default_rng(3)
        a = aligned(random.integers(-4, 5, (70, 160 * factor)).astype(np.float16))
        b = aligned(random.integers(-4, 5, (160, 72)).astype(np.float16))
        c = aligned(np.zeros((70, 72), np.float32))
        expected = a[:, :160].astype(np.float32) @ b.astype(np.float32) * (2 if again else 1)
        args = [a, b, c, 70, 72, 160, 160, 72, 72]
        return args, (2, 2), lambda: (c == expected).all()

    return Kernel(assemble(text), "k", "sm_90", (start,), _FOUR_WARPS if terms is None else terms)


_FOUR_WARPS = {"num_warps": 4}


def turned_product_of_warpgroups() -> Kernel:
    """A sum of products of bytes, of which one operand is transposed in shared memory."""
    case = group_products.Case("i8", "i32", 64, "signed signed", "", "kn")

    def start() -> Any:
        random = np.random.default_rng(3)
        x, y = (
            aligned(random.integers(-4, 5, size).astype(np.int8)) for size in ((64, 160), (160, 32))
        )
        z = aligned(np.zeros((64, 32), np.int32))
        expected = x.astype(np.int32) @ y.astype(np.int32)
        args = [x, 160, 0, y, 32, 0, z, 32, 0, 1, 64, 32, 160]
        return args, (1, 1), lambda: (z == expected).all()

    return Kernel(assemble(group_products.text(case)), "k", "sm_90", (start,))


def rounded_product_of_warpgroups() -> Kernel:
    """A sum of products of tf32, of which one operand is transposed in shared memory."""
    case = group_products.Case("tf32", "f32", 32, "", "", "kn")

    def start() -> Any:
        random = np.random.default_rng(3)
        x, y = (
            aligned(random.integers(-4, 5, size).astype(np.float32))
            for size in ((64, 80), (80, 32))
        )
        z = aligned(np.zeros((64, 32), np.float32))
        expected = x @ y
        args = [x, 80, 0, y, 32, 0, z, 32, 0, 1, 64, 32, 80]
        return args, (1, 1), lambda: (z == expected).all()

    return Kernel(assemble(group_products.text(case)), "k", "sm_90", (start,))


def product_by_columns() -> Kernel:
    """A sum of products of 8-bit floats, whose columns are added in two parts."""

    def start() -> Any:
        random = np.random.default_rng(3)
        x, y = (
            aligned(random.integers(-2, 3, (size, 80)).astype(DTYPES["f8E4M3FN"]))
            for size in (128, 256)
        )
        z = aligned(np.zeros((128, 256), np.float32))
        expected = x.astype(np.float32) @ y.astype(np.float32).T
        args = [x, 80, 0, y, 80, 0, z, 256, 0, 1, 128, 256, 80]
        return args, (1, 1), lambda: (z == expected).all()

    return Kernel(assemble(group_products.text(group_products.WIDE)), "k", "sm_90", (start,))


def product_of_clusters() -> Kernel:
    """A product of f16 by roles of two blocks, that copy one operand for each other."""

    def start() -> Any:
        random, (m, n, d) = np.random.default_rng(5), (150, 64, 136)
        a = aligned(random.integers(-2, 3, (m, d)).astype(np.float16))
        b = aligned(random.integers(-2, 3, (d, n)).astype(np.float16))
        c = aligned(np.zeros((m, n), np.float32))
        expected = a.astype(np.float32) @ b.astype(np.float32)
        return [a, b, c, m, n, d, d, n, n], (2, 1), lambda: (c == expected).all()

    return Kernel(assemble(clusters.hinted(clusters.text(128, 64), 2)), "k", "sm_90", (start,))


def tensor_stores(text: str, twice: bool = False) -> Kernel:
    """Sums of products that tensor copies store: one block, one tile after the other; or `twice`
    the sums behind them, but not in the last rows."""

    def start() -> Any:
        random, (rows, deep) = np.random.default_rng(4), (140, 136)
        a = aligned(random.integers(-2, 3, (rows, deep)).astype(np.float16))
        b = aligned(random.integers(-2, 3, (deep, 64)).astype(np.float16))
        expected = a.astype(np.float32) @ b.astype(np.float32)
        expected[: deep * twice] *= 2
        c = aligned(np.zeros((rows, 64), np.float32 if twice else np.float16))
        args = [a, b, c, rows, 64, deep, deep, 64, 64]
        return args, 1 + twice, lambda: (c == expected).all()

    return Kernel(assemble(text), "k", "sm_90", (start,))


def delayed_products(name: str) -> Kernel:
    """Attention on tiles of rows and of keys, of which the last ones are ragged."""
    trips = (0, 3) if name in delays.LARGE else (0, 5)

    def start() -> Any:
        arguments, grid, expected = delays.launch(name, 100, 300, trips)
        return arguments, grid, lambda: (arguments[3] == expected).all()

    return Kernel(assemble(delays.TEXTS[name]), "k", "sm_90", (start,))


KERNELS: dict[str, Callable[[], Kernel]] = {
    "product": product,
    "converted": converted,
    "gathered": gathered,
    "read_ahead": read_ahead,
    "wgmma_roles": lambda: product_of_warpgroups(True, {}),
    "wgmma_tensor_copies": lambda: product_of_warpgroups(True),
    "wgmma_tensor_copies_once": lambda: product_of_warpgroups(True, again=False),
    "wgmma_async_copies": lambda: product_of_warpgroups(False),
    "wgmma_async_copies_two_barriers": lambda: product_of_warpgroups(False, deep=True),
    "delayed_products": lambda: delayed_products("attention"),
    "delayed_products_of_two_groups": lambda: delayed_products("two loops, large"),
    "delayed_products_of_one_tile": lambda: delayed_products("one tile"),
    "wgmma_copied_in_shared": turned_product_of_warpgroups,
    "wgmma_rounded": rounded_product_of_warpgroups,
    "wgmma_by_columns": product_by_columns,
    "wgmma_clusters": product_of_clusters,
    "tensor_stores": lambda: tensor_stores(stores.text(persistent=True)),
    "tensor_stores_in_order": lambda: tensor_stores(stores.text("f32", store=stores.TWICE), True),
    **{name: lambda name=name: by_hand(name) for name in TEXTS},
    **{
        name: lambda name=name: fixture(name)
        for name in (
            "atomic_modes",
            "histogram",
            "insert_corner",
            "layer_norm",
            "mma_f16_f16",
            "mma_scaled",
            "print_values",
            "reduce_custom",
            "row_argmax",
            "row_sum",
            "scan_affine",
            "scratch_memory",
            "shapes",
            "softmax",
            "transpose_view",
        )
    },
    **{name: lambda name=name: in_place(name) for name in KERNELS_WITH_BARRIERS},
    **{name: lambda name=name: workload(name) for name in ("rms_norm_residual", "rope")},
}
"""Those of the test: rings, conversions, folds, scans, slices, tokens, atomics."""

SLOW = ("delayed_products_of_two_groups",)
"""Those that take seconds to run."""

kernel = cache(lambda name: KERNELS[name]())
