"""Where descriptors and tensor copies put bytes: the ISA's tables, the emulator, and a GPU.

What is expected is written in the words of the PTX ISA and of the CUDA driver API
(`warpgroup/layouts.py`, `hopper/boxes.py`), without compiler or emulator. What a GPU has answered
stands in `tests/golden/hopper/probe.json`, once there has been one: `python -m tests.lab.bench gpu
keep FOLDER` puts it there.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.codegen.device.standin import Driver as StandIn
from tests.codegen.emulator.ops.hopper.boxes import boxed, swizzled
from tests.lab.bench.gpu import probe_rows
from tests.lab.bench.gpu.kit import probe
from tests.lab.bench.gpu.kit.driver import Driver

GOLDEN = Path(__file__).parents[3] / "golden" / "hopper" / "probe.json"
ROWS = probe_rows.rows()
FEW = [
    name for name, row in ROWS.items()
    if row["what"] == "box" or row["kind"] == "f16" or name.endswith("128 swizzle, k-step 1")
]  # fmt: skip
"""Those that always run: each type once, f16 in every layout."""


def expected(row: dict[str, Any]) -> np.ndarray:
    """What the documents say."""
    if row["what"] == "operand":
        tile = probe_rows.tile_of(row)
        depth = probe.DEPTH_BYTES // tile.size
        columns = slice(row["step"] * depth, (row["step"] + 1) * depth)
        return tile.offsets[:, columns] + row["begin"]
    shape = (*row["extents"][::-1], row["size"])
    numbers = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    each = [
        boxed(numbers[..., byte], tuple(row["at"]), tuple(row["box"]), probe.OUTSIDE)
        for byte in range(row["size"])
    ]
    flat = np.stack(each, axis=-1).ravel()
    whole = np.full(-(-flat.size // 1024) * 1024, probe.UNTOUCHED, np.int64)
    whole[: flat.size] = flat
    parts = [  # the words of the document move bytes
        swizzled((whole >> 8 * byte & 0xFF).astype(np.uint8), row["swizzle"]) for byte in range(4)
    ]
    moved = sum(part.astype(np.int64) << 8 * byte for byte, part in enumerate(parts))
    moved = moved.astype(np.int32).astype(np.int64)
    return moved[: int(np.flatnonzero(moved != probe.UNTOUCHED).max()) + 1]


@pytest.fixture(scope="module")
def on_emulator(tmp_path_factory: pytest.TempPathFactory) -> probe.Launch:
    """Launches of the probe's kernels, as on a GPU, on the emulator."""
    folder = tmp_path_factory.mktemp("probe")
    probe_rows.write(folder)
    standin = StandIn()
    launch = probe.on_device(Driver(SimpleNamespace(**standin.functions)), folder)

    def checked(file: str, given: Any) -> None:
        launch(file, given)
        assert standin.problem is None, standin.problem

    return checked


@pytest.mark.parametrize("name", FEW)
def test_the_emulator_does_what_the_documents_say(name: str, on_emulator: probe.Launch) -> None:
    found = probe.expanded(probe.answer(ROWS[name], on_emulator))
    np.testing.assert_array_equal(found, expected(ROWS[name]))


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", sorted(ROWS.keys() - set(FEW)))
def test_so_it_does_for_the_others(name: str, on_emulator: probe.Launch) -> None:
    found = probe.expanded(probe.answer(ROWS[name], on_emulator))
    np.testing.assert_array_equal(found, expected(ROWS[name]))


def test_a_gpu_does_what_the_documents_say() -> None:
    if not GOLDEN.exists():
        pytest.skip("no GPU has answered the probe yet")
    answers = json.loads(GOLDEN.read_text())
    assert set(answers) == set(ROWS)
    wrong = {
        name: found.get("problem", "elsewhere")
        for name, found in answers.items()
        if "problem" in found or not np.array_equal(probe.expanded(found), expected(ROWS[name]))
    }
    assert wrong == {}


def test_other_descriptors_have_other_answers(on_emulator: probe.Launch) -> None:
    """A wrong mode, stride, base offset or start is noticed."""
    row = ROWS["f16 a k-major 128 swizzle, k-step 1"]
    right = probe.answer(row, on_emulator)
    for change in ({"mode": 2}, {"stride": 512}, {"base": 1}, {"start": row["start"] - 32}):
        assert probe.answer({**row, **change}, on_emulator) != right
    assert probe.answer({**row, "leading": 0}, on_emulator) == right


def test_every_layout_is_asked_about() -> None:
    asked = {(row["kind"], row["side"], row["major"], row["mode"])
             for row in ROWS.values() if row["what"] == "operand"}  # fmt: skip
    halves = [kind for kind, about in probe.KINDS.items() if about.size == 2]
    assert len(asked) == 2 * 4 * (len(probe.KINDS) + len(halves))
    assert {row["swizzle"] for row in ROWS.values() if row["what"] == "box"} == {0, 32, 64, 128}


@pytest.mark.parametrize("kind", probe.KINDS)
def test_small_numbers_are_exact(kind: str) -> None:
    import ml_dtypes

    types = {"bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "s8": np.int8,
             "e5m2": ml_dtypes.float8_e5m2, "u8": np.uint8, "f16": np.float16,
             "tf32": np.float32}  # fmt: skip
    numbers = np.arange(probe.KINDS[kind].base)
    bits = np.ascontiguousarray(probe.encoded(kind, numbers))
    np.testing.assert_array_equal(bits.view(types[kind]).astype(np.float64), numbers)


@pytest.mark.parametrize("places", [
    np.arange(64).reshape(8, 8) ^ 5, np.arange(48).reshape(6, 8) * 3, np.array([7]),
])  # fmt: skip
def test_compact_answers_are_whole(places: np.ndarray) -> None:
    found = json.loads(json.dumps(probe.compact(places)))
    np.testing.assert_array_equal(probe.expanded(found), places)
