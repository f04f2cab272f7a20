"""Matrix products. Floating-point sums are kept in f64, so that they are as good as exact."""

from __future__ import annotations

import numpy as np

from tileir.ir import Op

from .elements import floats, read, wrapped
from .rounding import narrowed


def mmai(op: Op, lhs, rhs, acc):
    left = read(lhs, op.operands["lhs"].type.element, op.attributes["signedness_lhs"])
    right = read(rhs, op.operands["rhs"].type.element, op.attributes["signedness_rhs"])
    product = left.astype(np.int64) @ right.astype(np.int64)
    return wrapped(product.astype(object) + acc.astype(object), op.result.type.element)


def mmaf(op: Op, lhs, rhs, acc):
    exact = lhs.astype(np.float64) @ rhs.astype(np.float64) + acc.astype(np.float64)
    return narrowed(exact, op.result.type.element)


def mmaf_scaled(op: Op, lhs, rhs, acc, lhs_scale, rhs_scale):
    """Each scale is for a run of neighbours along the dimension that is summed over."""
    scale = op.operands["lhs_scale"].type.element
    left, right = lhs.astype(np.float64), rhs.astype(np.float64)
    left_scale, right_scale = floats(lhs_scale, scale), floats(rhs_scale, scale)
    run = left.shape[-1] // left_scale.shape[-1]
    left = left * np.repeat(left_scale, run, axis=-1)
    right = right * np.repeat(right_scale, run, axis=-2)
    return narrowed(left @ right + acc.astype(np.float64), op.result.type.element)


OPS = {"mmaf": mmaf, "mmaf_scaled": mmaf_scaled, "mmai": mmai}
