"""What else computes the same: PyTorch (cuBLAS, its attention), and Triton's kernels.

A rival is made of PyTorch's tensors of the case, and is a function without arguments that puts a
launch into the default stream and returns the tensor of results. There may be none for a case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Run = Callable[[], Any]
NARROW = {"bfloat16": "bfloat16", "e4m3": "float8_e4m3fn"}
"""Types that NumPy lacks -> PyTorch's name."""


def tensors(torch: Any, arrays: Sequence[np.ndarray], dtypes: Sequence[str], device: str) -> list:
    """PyTorch's copies of arrays."""
    made = []
    for array, dtype in zip(arrays, dtypes, strict=True):
        plain = array.view(np.int16) if array.dtype == np.uint16 else array
        tensor = torch.from_numpy(plain.copy()).to(device)
        made.append(tensor.view(getattr(torch, NARROW[dtype])) if dtype in NARROW else tensor)
    return made


def of_torch(torch: Any, case: dict[str, Any], given: list, numbers: Sequence[float]) -> Run | None:
    """What PyTorch computes a case with, if it does."""
    functional = torch.nn.functional
    x, y, *more = [*given, None]
    work = case["work"]

    def attend(causal: bool) -> Run:
        q, k, v = (each.unsqueeze(0) for each in given[:3])
        flags = {"scale": numbers[0], "is_causal": causal}
        if len(given[0]) != len(given[1]):
            flags["enable_gqa"] = True
        return lambda: functional.scaled_dot_product_attention(q, k, v, **flags)[0]

    def product_by_rows() -> Run | None:
        right = y.T
        if case["tensors"][0]["dtype"] == "e4m3":
            one = torch.ones((), device=x.device)
            fast = case["name"].endswith("fast_acc")
            return lambda: torch._scaled_mm(
                x, right, one, one, out_dtype=torch.float16, use_fast_accum=fast
            )
        torch.backends.cuda.matmul.allow_tf32 = True
        return lambda: torch.matmul(x, right)

    def product() -> Run:
        wide = more[0].dtype if more[0] is not None else x.dtype
        return lambda: torch.matmul(x, y).to(wide)

    def convolution() -> Run:
        image = x.permute(0, 3, 1, 2)
        taps = y.reshape(3, 3, *y.shape[1:]).permute(3, 2, 0, 1)
        taps = taps.contiguous(memory_format=torch.channels_last)
        return lambda: functional.conv2d(image, taps, padding=1).permute(0, 2, 3, 1)

    made: dict[str, Callable[[], Run | None]] = {
        "product": product,
        "product by rows": product_by_rows,
        "linear gelu": lambda: (
            lambda: functional.gelu(torch.addmm(more[0], x, y), approximate="tanh")
        ),
        "convolution": convolution,
        "attention": lambda: attend(False),
        "causal attention": lambda: attend(True),
        "softmax": lambda: lambda: torch.softmax(x, 1),
        "rms_norm": lambda: lambda: functional.rms_norm(x, x.shape[1:], y, numbers[0]),
        "layer_norm": lambda: lambda: functional.layer_norm(x, x.shape[1:], y, more[0], numbers[0]),
        "copy": lambda: lambda: y.copy_(x),
        "transpose": lambda: lambda: y.copy_(x.T),
        "cumulative_sum": lambda: lambda: torch.cumsum(x, 1),
        "vector_add": lambda: lambda: torch.add(x, y, out=more[0]),
        "gather": lambda: lambda: x[y],
        "row_sum": lambda: lambda: torch.sum(x, 1),
    }
    return made[work]() if work in made else None


def of_triton(case: dict[str, Any], given: list, numbers: Sequence[float]) -> Run | None:
    """Triton's kernel for a case, if there is one; ImportError without Triton."""
    from . import triton_kernels as kernels

    work = case["work"]
    if work == "product" and given[0].dim() == 2 and given[0].dtype == given[2].dtype:
        return kernels.product(given[0], given[1], given[2])
    if work == "product by rows" and case["tensors"][0]["dtype"] == "e4m3":
        fast = case["name"].endswith("fast_acc")
        return kernels.product(given[0], given[1].T, given[2], fast)
    if work in ("attention", "causal attention"):
        return kernels.attention(*given[:4], numbers[0], work == "causal attention")
    if work == "softmax":
        return kernels.softmax(given[0], given[1])
    if work == "copy":
        return kernels.copy(given[0], given[1])
    return None
