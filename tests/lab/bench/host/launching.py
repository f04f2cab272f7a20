"""Kernels of cuTile, compiled for this CPU and ready to be launched on torch's tensors.

A kernel is specialised as cuTile does it at a launch: by rank and type, rows without gaps, and
extents, strides and addresses that are multiples of 16.
"""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
import torch
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

import tileir

from .race import Launch, Race

TYPES = {
    torch.float32: ct.float32,
    torch.float16: ct.float16,
    torch.bfloat16: ct.bfloat16,
    torch.int32: ct.int32,
    torch.int8: ct.int8,
}


class Side:
    """Our side of a race: its kernels, compiled; `compiling` is the CPU time of that in seconds."""

    def __init__(self, race: Race) -> None:
        self.race = race
        codes = [_bytecode(launch) for launch in race.launches]
        start = time.process_time()
        made = [tileir.compile(code, target="host", cache=False) for code in codes]
        self.compiling = time.process_time() - start
        self._kernels = [compiled["kernel"] for compiled in made]
        self._arguments = [_arguments(launch, {}) for launch in race.launches]

    def into(self, threads: int) -> None:
        """Launch, into the results that are there."""
        for tensor in self.race.zeroed:
            tensor.zero_()
        self._launch(self._arguments, threads)

    def anew(self, threads: int) -> list[torch.Tensor]:
        """Launch into new results, and return them."""
        new = {
            id(old): torch.zeros_like(old)
            if _is_in(old, self.race.zeroed)
            else torch.empty_like(old)
            for old in self.race.results
        }
        self._launch([_arguments(launch, new) for launch in self.race.launches], threads)
        return list(new.values())

    def _launch(self, arguments: Sequence[list], threads: int) -> None:
        for kernel, launch, given in zip(self._kernels, self.race.launches, arguments, strict=True):
            kernel.launch(launch.grid, given, threads=threads)


def _is_in(tensor: torch.Tensor, tensors: Sequence[torch.Tensor]) -> bool:
    return any(tensor is each for each in tensors)


def _bytecode(launch: Launch) -> tileir.Bytecode:
    constraints = [*map(_constraint, launch.given), *map(ConstantConstraint, launch.constants)]
    convention = CallingConvention.cutile_python_v2()
    out = io.BytesIO()
    export_kernel(
        launch.kernel,
        [KernelSignature(constraints, convention, "kernel")],
        out,
        gpu_code=None,
        output_format="tileir_bytecode",
        bytecode_version="13.3",
    )
    return tileir.Bytecode.parse(out.getvalue())


def _constraint(given: torch.Tensor | int | float) -> Any:
    if not isinstance(given, torch.Tensor):
        return ScalarConstraint(ct.int32 if isinstance(given, int) else ct.float32)
    strides = given.stride()
    return ArrayConstraint(
        TYPES[given.dtype],
        given.dim(),
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=[1 if step == 1 else None for step in strides],
        stride_divisible_by=[1 if step % 16 else 16 for step in strides],
        shape_divisible_by=[1 if extent % 16 else 16 for extent in given.shape],
        base_addr_divisible_by=16,
    )


def _arguments(launch: Launch, new: Mapping[int, torch.Tensor]) -> list[Any]:
    """What cuTile passes of arrays: address, extents, strides in elements."""
    made: list[Any] = []
    for given in launch.given:
        if isinstance(given, torch.Tensor):
            tensor = new.get(id(given), given)
            made += [array_of(tensor), *tensor.shape, *tensor.stride()]
        else:
            made.append(given)
    return made


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """Return a tensor as NumPy's array, of the same memory."""
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()
