"""What is right, by NumPy: some rows of the results, as many as a few seconds allow.

A row is the last dimension of a result. Rows are drawn by chance, the first and the last one are
always among them; where results are small, all rows are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from .arrays import decoded

MOST_ROWS, MOST_WORK = 48, 2_000_000_000
"""Rows that are looked at, or fewer where each of them takes so many products."""
TILES = {"experts": 64, "gathered experts": 128}
"""Rows of x that go to one expert."""


class Given(NamedTuple):
    """Arrays as they are in memory, their types, and the numbers of a case."""

    arrays: Sequence[np.ndarray]
    dtypes: Sequence[str]
    numbers: Sequence[float]

    def read(self, index: int, place: Any = ...) -> np.ndarray:
        """Part of an array, as f32 or integers."""
        return decoded(self.dtypes[index], self.arrays[index][place])


Answer = Callable[[Given, np.ndarray], np.ndarray]
"""The rows of these numbers of a result; the leading dimensions are taken together."""


def _product(given: Given, rows: np.ndarray) -> np.ndarray:
    x, y = given.arrays[:2]
    if x.ndim == 2:
        return given.read(0, rows) @ given.read(1)
    batch, row = np.divmod(rows, x.shape[1])
    made = np.empty((len(rows), y.shape[2]), np.float32)
    for each in np.unique(batch):
        here = batch == each
        made[here] = given.read(0, (each, row[here])) @ given.read(1, each)
    return made


def _product_by_rows(given: Given, rows: np.ndarray) -> np.ndarray:
    return given.read(0, rows) @ given.read(1).T


def _scaled_product(given: Given, rows: np.ndarray) -> np.ndarray:
    # Doubles are exact for these integers; f32 is not.
    total = given.read(0, rows).astype(np.float64) @ given.read(1).astype(np.float64)
    return total * given.read(2, rows)[:, None] * given.read(3)


def _linear_gelu(given: Given, rows: np.ndarray) -> np.ndarray:
    z = given.read(0, rows) @ given.read(1) + given.read(2)
    return 0.5 * z * (1 + np.tanh(0.7978845608028654 * (z + 0.044715 * z**3)))


def _experts(given: Given, rows: np.ndarray) -> np.ndarray:
    return _by_expert(given, given.read(0, rows), given.arrays[2][rows // TILES["experts"]], 1)


def _gathered_experts(given: Given, rows: np.ndarray) -> np.ndarray:
    expert = given.arrays[3][rows // TILES["gathered experts"]]
    return _by_expert(given, given.read(0, given.arrays[1][rows]), expert, 2)


def _by_expert(given: Given, x: np.ndarray, expert: np.ndarray, weights: int) -> np.ndarray:
    made = np.empty((len(x), given.arrays[weights].shape[2]), np.float32)
    for each in np.unique(expert):
        made[expert == each] = x[expert == each] @ given.read(weights, each)
    return made


def _convolution(given: Given, rows: np.ndarray) -> np.ndarray:
    _, height, width, _ = given.arrays[0].shape
    image, row, column = rows // (height * width), rows // width % height, rows % width
    total = np.zeros((len(rows), given.arrays[1].shape[2]), np.float32)
    for tap in range(9):
        above, left = row + tap // 3 - 1, column + tap % 3 - 1
        inside = (above >= 0) & (above < height) & (left >= 0) & (left < width)
        pixels = given.read(0, (image[inside], above[inside], left[inside]))
        total[inside] += pixels @ given.read(1, tap)
    return total


def _attention(given: Given, rows: np.ndarray) -> np.ndarray:
    return _attends(given, rows, False)


def _causal_attention(given: Given, rows: np.ndarray) -> np.ndarray:
    return _attends(given, rows, True)


def _attends(given: Given, rows: np.ndarray, causal: bool) -> np.ndarray:
    q, k = given.arrays[:2]
    length, made = q.shape[1], []
    for head, row in zip(*np.divmod(rows, length), strict=True):
        shared = head // (len(q) // len(k))
        until = row + 1 if causal else k.shape[1]
        key, value = (given.read(index, (shared, slice(until))) for index in (1, 2))
        score = key @ given.read(0, (head, row)) * given.numbers[0]
        power = np.exp(score - score.max())
        made.append(power @ value / power.sum())
    return np.array(made)


def _attention_backward(given: Given, rows: np.ndarray) -> np.ndarray:
    """The gradients of keys; those of values are not looked at."""
    length, made = given.arrays[1].shape[1], []
    scale = given.numbers[0]
    for head, row in zip(*np.divmod(rows, length), strict=True):
        query, gradient = given.read(0, head), given.read(3, head)
        score = query @ given.read(1, (head, row)) * scale
        power = np.exp2(score * 1.4426950408889634 - given.read(4, head))
        along = gradient @ given.read(2, (head, row)) - given.read(5, head)
        made.append((power * along * scale) @ query)
    return np.array(made)


def _softmax(given: Given, rows: np.ndarray) -> np.ndarray:
    power = np.exp((x := given.read(0, rows)) - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


def _rms_norm(given: Given, rows: np.ndarray) -> np.ndarray:
    x = given.read(0, rows)
    return x / np.sqrt((x * x).mean(1, keepdims=True) + given.numbers[0]) * given.read(1)


def _layer_norm(given: Given, rows: np.ndarray) -> np.ndarray:
    x = given.read(0, rows)
    centred = x - x.mean(1, keepdims=True)
    scale = np.sqrt((centred**2).mean(1, keepdims=True) + given.numbers[0])
    return centred / scale * given.read(1) + given.read(2)


ANSWERS: dict[str, Answer] = {
    "product": _product, "product by rows": _product_by_rows, "scaled product": _scaled_product,
    "linear gelu": _linear_gelu, "experts": _experts, "gathered experts": _gathered_experts,
    "convolution": _convolution, "attention": _attention, "causal attention": _causal_attention,
    "attention backward": _attention_backward, "softmax": _softmax, "rms_norm": _rms_norm,
    "layer_norm": _layer_norm,
    "copy": lambda given, rows: given.read(0, rows),
    "transpose": lambda given, rows: given.read(0, (slice(None), rows)).T,
    "cumulative_sum": lambda given, rows: given.read(0, rows).cumsum(1, dtype=np.float64),
    "vector_add": lambda given, _: given.read(0) + given.read(1),
    "gather": lambda given, _: given.read(0)[given.arrays[1]],
    "row_sum": lambda given, _: given.read(0).sum(1, dtype=np.float64),
}  # fmt: skip
"""Work -> its answer. Results of one dimension are one row."""


def result_of(tensors: Sequence[dict[str, Any]]) -> int:
    """The number of the tensor that is looked at: the first of the results."""
    return next(i for i, each in enumerate(tensors) if each["fill"] in ("result", "sum"))


def rows_of(case: dict[str, Any]) -> np.ndarray:
    """The rows of the result that are looked at."""
    shape = case["tensors"][result_of(case["tensors"])]["shape"]
    count = int(np.prod(shape[:-1]))
    each = max(case["flops"] // max(count, 1), 1)
    most = max(4, min(MOST_ROWS, MOST_WORK // each))
    if count <= most:
        return np.arange(count)
    drawn = np.random.default_rng(1).choice(count, most, replace=False)
    return np.unique([0, count - 1, *drawn])


def worst(case: dict[str, Any], given: Given, result: np.ndarray) -> float:
    """The largest error in units of what is tolerated (absolute and relative), or in all."""
    index = result_of(case["tensors"])
    rows = rows_of(case)
    found = decoded(given.dtypes[index], result.reshape(-1, result.shape[-1])[rows])
    with np.errstate(all="ignore"):
        expected = ANSWERS[case["work"]](given, rows).reshape(found.shape).astype(np.float64)
        if not np.isfinite(found).all():
            return inf
        error = np.abs(found - expected)
        if case["tolerance"]:
            error /= (1 + np.abs(expected)) * case["tolerance"]
    return float(error.max())
