"""Softmax of f16 with results in f32, which torch's kernels do in one step for GPUs only.

torch asks for it where a program gives `dtype=torch.float32`, as autocast does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

_FORWARD = ("_softmax", "_softmax.out", "_log_softmax", "_log_softmax.out")
_BACKWARD = ("_softmax_backward_data", "_log_softmax_backward_data")
_BACKWARD_OUT = tuple(f"{name}.out" for name in _BACKWARD)


def kernels(others: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return op -> kernel; `others` are those without such a step, which these call."""
    found = {}
    for names, made in ((_FORWARD, _forward), (_BACKWARD, _backward), (_BACKWARD_OUT, _into)):
        for name in (f"aten::{name}" for name in names):
            found[name] = made(others[name.removesuffix(".out") if made is _into else name])
    return found


def _forward(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def compute(tensor: Any, dim: int, half_to_float: bool, **out: Any) -> Any:
        if half_to_float and tensor.dtype == torch.float16:
            tensor, half_to_float = tensor.float(), False
        return kernel(tensor, dim, half_to_float, **out)

    return compute


def _backward(kernel: Callable[..., Any]) -> Callable[..., Any]:
    def compute(gradient: Any, output: Any, dim: int, dtype: Any) -> Any:
        return kernel(gradient, output, dim, gradient.dtype).to(dtype)

    return compute


def _into(kernel: Callable[..., Any]) -> Callable[..., Any]:
    compute = _backward(kernel)

    def write(gradient: Any, output: Any, dim: int, dtype: Any, **out: Any) -> Any:
        (written,) = out.values()
        return written.resize_(output.shape).copy_(compute(gradient, output, dim, dtype))

    return write
