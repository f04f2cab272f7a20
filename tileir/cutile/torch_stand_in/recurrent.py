"""Recurrent layers: torch chooses their kernels by device, and those for GPUs have no CPU's beside.

They run on copies on the CPU instead; the copies are ops of autograd, so gradients come back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

from .tensors import CPU

_OPS = (
    "gru.data", "gru.input", "gru_cell", "lstm.data", "lstm.input", "lstm_cell", "rnn_relu.data",
    "rnn_relu.input", "rnn_tanh.data", "rnn_tanh.input",
)  # fmt: skip

_KEYS = ("AutogradCUDA", "CUDA")
"""With and without autograd, as in inference mode."""


def install(library: Any) -> None:
    """Register the ops with a library of torch's namespace `aten`."""
    for name in _OPS:
        base, _, overload = name.partition(".")
        kernel = _on_copies(getattr(getattr(torch.ops.aten, base), overload or "default"))
        for key in _KEYS:
            library.m.impl(name, key, kernel)


def _on_copies(op: Any) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        moved = {name: _copied(value, CPU) for name, value in options.items()}
        result = op(*(_copied(value, CPU) for value in arguments), **moved)
        return _copied(result, "cuda")

    return run


def _copied(value: Any, device: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, list | tuple):
        return type(value)(_copied(item, device) for item in value)
    return value
