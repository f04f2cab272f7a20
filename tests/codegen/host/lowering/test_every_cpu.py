"""What is made of vectors gives the same on CPUs whose vectors are shorter."""

from __future__ import annotations

import numpy as np

from tests.codegen.host.text import Kernel
from tileir.codegen.host.lowering.streaming import LARGE_BYTES

from .test_dot_products import missing  # noqa: F401  a fixture
from .test_pieces import test_neighbours_are_taken_apart_and_put_together as pieces
from .test_reductions import run_fold


def test_every_cpu_scans_alike(missing: str) -> None:  # noqa: F811
    given = np.random.default_rng(1).integers(-9, 9, (2, 256)).astype(np.float32)
    body = ["%o = addf %a0, %e0 : tile<f32>", "yield %o : tile<f32>"]
    [found] = run_fold("scan", [given], 1, ["0.0"], body)
    np.testing.assert_array_equal(found, given.cumsum(1))


def test_every_cpu_takes_vectors_apart(missing: str) -> None:  # noqa: F811
    for dtype in (np.int16, np.float32, np.float64):
        pieces(dtype, 2)


def test_every_cpu_stores_past_the_caches_alike(missing: str) -> None:  # noqa: F811
    """Of 16-bit elements, a line is stored in several parts."""
    given = np.random.default_rng(1).integers(-9, 9, (LARGE_BYTES // 512, 256)).astype(np.int16)
    result = np.zeros_like(given)
    kernel, tile = Kernel(), "tile<64x256xi16>"
    text = "tensor_view<?x256xi16, strides=[256,1]>"
    view = f"partition_view<tile=(64x256), {text}>"
    kernel.arrays += [given, result]
    kernel.line("%i, %j, %k = get_tile_block_id : tile<i32>")
    kernel.line(f"%rows = constant <i32: {len(given)}> : tile<i32>")
    for number in range(2):
        base = f"%array{number}_base, shape = [%rows, 256], strides = [256, 1]"
        kernel.line(f"%t{number} = make_tensor_view {base} : tile<i32> -> {text}")
        kernel.line(f"%v{number} = make_partition_view %t{number} : {view}")
    access = f"[%i, %zero] : {view}, tile<i32> -> {tile}, token"
    kernel.line(f"%x, %o = load_view_tko weak %v0{access}")
    kernel.line(f"%y = addi %x, %x : {tile}")
    kernel.line(f"%s = store_view_tko weak %y, %v1[%i, %zero] : {tile}, {view}, tile<i32> -> token")
    kernel.run(len(given) // 64)
    np.testing.assert_array_equal(result, given + given)
