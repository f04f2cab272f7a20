"""Ops that torch composes of others, and of which others depends on the device.

Attention is composed as for CPUs, with their kernel in one pass where it fits. The kernels of
recurrent layers for GPUs have no CPU's beside them: these layers run on copies on the CPU, which
are ops of autograd, so gradients come back. Nor have products with a result that is wider than the
factors: those are made wider before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

from .tensors import CPU, on_cpu

_RECURRENT = (
    "gru.data", "gru.input", "gru_cell", "lstm.data", "lstm.input", "lstm_cell", "rnn_relu.data",
    "rnn_relu.input", "rnn_tanh.data", "rnn_tanh.input",
)  # fmt: skip

_WIDER = {"dtype": "default", "dtype_out": "out"}
"""Overload of a product with a type of its own for the result -> the one with the factors' type."""

_KEYS = ("AutogradCUDA", "CUDA")
"""With and without autograd, as in inference mode."""

_FLASH = 1
"""`SDPBackend.FLASH_ATTENTION` as a number."""

_aten = torch.ops.aten


def found() -> dict[str, Callable[..., Any]]:
    """Return op -> kernel; AttributeError for one that torch does not have."""
    kernels: dict[str, Callable[..., Any]] = {"scaled_dot_product_attention": _attention}
    for name in _RECURRENT:
        base, _, overload = name.partition(".")
        kernels[name] = _on_copies(getattr(getattr(_aten, base), overload or "default"))
    for base in ("addmm", "baddbmm", "bmm", "mm"):
        for overload, plain in _WIDER.items():
            if overload in getattr(_aten, base).overloads():
                kernels[f"{base}.{overload}"] = _widened(getattr(getattr(_aten, base), plain))
    return kernels


def install(library: Any, kernels: dict[str, Callable[..., Any]]) -> None:
    """Register the ops with a library of torch's namespace `aten`."""
    for name, kernel in kernels.items():
        for key in _KEYS:
            library.m.impl(name, key, kernel)


def _attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Compute attention as torch chooses for tensors on the CPU, in one pass or as a formula."""
    inputs = (query, key, value, attn_mask)
    options = {"scale": scale, "enable_gqa": enable_gqa}
    seen = [t if t is None or not t.is_cuda else on_cpu(t) for t in inputs]
    if _may_fuse() and _chosen(seen, dropout_p, is_causal, options) == _FLASH:
        flash = _aten._scaled_dot_product_flash_attention_for_cpu
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(
                attn_mask.logical_not(), float("-inf")
            )
        return flash(query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)[0]
    rest = (dropout_p, is_causal, None)
    return _aten._scaled_dot_product_attention_math(*inputs, *rest, **options)[0]


def _may_fuse() -> bool:
    """Whether one of the kernels in one pass is allowed; a GPU has three, the CPU one."""
    allowed = (
        torch._C._get_flash_sdp_enabled,
        torch._C._get_mem_efficient_sdp_enabled,
        torch._C._get_cudnn_sdp_enabled,
    )
    return any(ask() for ask in allowed)


def _chosen(inputs: Any, dropout: float, causal: bool, options: Any) -> int:
    """Return what torch chooses on the CPU, where both that it has are allowed."""
    flash, math = torch._C._get_flash_sdp_enabled(), torch._C._get_math_sdp_enabled()
    torch._C._set_sdp_use_flash(True)
    torch._C._set_sdp_use_math(True)
    try:
        return torch._fused_sdp_choice(*inputs, dropout, causal, **options)
    finally:
        torch._C._set_sdp_use_flash(flash)
        torch._C._set_sdp_use_math(math)


def _on_copies(op: Any) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        moved = {name: _copied(value, CPU) for name, value in options.items()}
        result = op(*(_copied(value, CPU) for value in arguments), **moved)
        return _copied(result, "cuda")

    return run


def _widened(op: Any) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        *factors, dtype = arguments
        return op(*(factor.to(dtype) for factor in factors), **options)

    return run


def _copied(value: Any, device: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, list | tuple):
        return type(value)(_copied(item, device) for item in value)
    return value
