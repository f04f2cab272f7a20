"""What the other modules here take from torch by name, looked up before torch is changed."""

from __future__ import annotations

from functools import reduce
from typing import Any

from tileir.errors import UnsupportedError

TESTED = "2.13"
"""The version of torch that is tested, in its build for CPUs."""

NAMES = (
    "AcceleratorError", "Generator", "Stream", "Tag.inplace_view", "Tag.nondeterministic_seeded",
    "Tensor", "UntypedStorage", "_TorchCompileInductorWrapper.__call__", "_conj",
    "_fused_sdp_choice", "_neg_view", "as_strided", "bool", "contiguous_format",
    "default_generator", "device", "empty", "empty_like", "float16", "is_autocast_enabled",
    "ones_like", "strided", "tensor", "uint8", "zeros_like",
    "_C.DispatchKey.AutocastCPU", "_C.DispatchKey.CPU", "_C.DispatchKeySet", "_C.Generator",
    "_C.StorageBase.__new__", "_C._ExcludeDispatchKeyGuard", "_C._dispatch_get_all_op_names",
    "_C._dispatch_has_kernel_for_dispatch_key", "_C._from_dlpack", "_C._get_cudnn_sdp_enabled",
    "_C._get_flash_sdp_enabled", "_C._get_math_sdp_enabled", "_C._get_mem_efficient_sdp_enabled",
    "_C._get_schema", "_C._profiler._RecordFunctionFast", "_C._set_sdp_use_flash",
    "_C._set_sdp_use_math", "_C._to_dlpack", "autograd._profiler_enabled",
    "autograd.profiler.ProfilerState", "backends.cudnn.is_acceptable", "cuda.CUDAGraph",
    "cuda.MemPool", "cuda.default_generators", "cuda.graphs", "cuda.memory", "cuda.nvtx",
    "cuda.streams.Event", "cuda.streams.ExternalStream", "cuda.streams.Stream", "library.Library",
    "ops.aten", "version.cuda",
)  # fmt: skip
"""Names in torch."""


def look_up(torch: Any) -> None:
    """Find all names; UnsupportedError for one that this torch does not have."""
    for name in NAMES:
        try:
            reduce(getattr, name.split("."), torch)
        except AttributeError:
            raise unlike(torch, f"it has no torch.{name}") from None


def unlike(torch: Any, why: object) -> UnsupportedError:
    """Return the error for a torch that is not built as those that are known."""
    return UnsupportedError(
        f"torch {torch.__version__} cannot be given a device: {why} (tested is torch {TESTED})"
    )
