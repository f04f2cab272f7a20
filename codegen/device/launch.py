"""A launch on a GPU: check all that needs no driver, then launch as the plan says."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from tileir import gpus
from tileir.codegen.arguments.assumed import check_assumed
from tileir.codegen.arguments.grid import check_grid
from tileir.codegen.arguments.packing import pack
from tileir.codegen.arguments.plan_schema import check_schema
from tileir.codegen.arguments.tensor_maps import entry_for, tensor_maps
from tileir.errors import DeviceError, KernelAssertionError, LaunchError
from tileir.messages.texts import display
from tileir.types import Element, Scalar

from . import driver, streams
from .image import Image
from .memory import DeviceMemory, memory_of, ready
from .tensor_maps import encode

_AXES = "xyz"
_HEAP_SLACK = 2
"""Factor by which the heap exceeds the bytes that blocks allocate: it rounds up and has gaps."""


def launch(
    symbol: str,
    plan: Mapping[str, Any],
    elements: Sequence[Element],
    image: Image,
    grid: int | Sequence[int],
    args: Sequence[Any],
    stream: Any,
) -> None:
    """Run the kernel of a symbol as its plan says; see `CompiledEntry.launch`."""
    shown = display(symbol)
    check_schema(shown, plan)
    tiles = check_grid(shown, grid)
    try:
        handle = streams.DEFAULT if stream is None else streams.handle_of(stream)
        blocks = _blocks(plan, tiles)
    except LaunchError as problem:
        raise LaunchError(f"{shown}: {problem}") from None
    memories: dict[int, DeviceMemory] = {}

    def address_of(number: int, argument: Any, pointee: Scalar) -> int:
        written = plan["parameters"][number]["written"]
        memories[number] = memory_of(argument, pointee, handle, written)
        return memories[number].address

    offsets = [row["offset"] for row in plan["parameters"]]
    packed = pack(symbol, elements, offsets, _size(plan), args, address_of)
    if 0 in blocks:
        return
    prepared = _prepared(shown, plan, image, blocks, packed, memories)
    driver.launch(prepared.kernel, prepared.config, prepared.arguments, handle)
    if stream is None:
        _wait(symbol, plan, handle)


class Prepared(NamedTuple):
    """What the driver is told for one launch; `arguments` has the address of each argument."""

    kernel: Any
    config: driver.LaunchConfig
    arguments: ctypes.Array
    packed: bytearray
    """The memory of the arguments, which has to stay until the driver has been told."""


def prepare(
    symbol: str, plan: Mapping[str, Any], image: Image, grid: Sequence[int], packed: bytes
) -> Prepared | None:
    """Return what the driver is told, in this thread's context; None if no block is launched.

    `packed` has each argument of the entry at its offset; tensor maps are put behind them. Errors
    are those of `launch`.
    """
    shown = display(symbol)
    tiles = check_grid(shown, grid)
    try:
        blocks = _blocks(plan, tiles)
    except LaunchError as problem:
        raise LaunchError(f"{shown}: {problem}") from None
    room = bytearray(packed.ljust(max(_size(plan), 1), b"\0"))
    return None if 0 in blocks else _prepared(shown, plan, image, blocks, room, {})


def _prepared(
    shown: str,
    plan: Mapping[str, Any],
    image: Image,
    blocks: tuple[int, int, int],
    packed: bytearray,
    memories: Mapping[int, DeviceMemory],
) -> Prepared:
    check_assumed(shown, plan, packed)
    plan = entry_for(shown, plan, packed)
    driver.start()
    try:
        kernel = _kernel(plan, image, {number: ready(each) for number, each in memories.items()})
    except LaunchError as problem:
        raise LaunchError(f"{shown}: {problem}") from None
    offsets = [row["offset"] for row in plan["parameters"]]
    offsets += _put_tensor_maps(shown, plan, packed)
    if plan["heap"]:
        at_once = min(prod(blocks), driver.blocks_at_once(driver.current_device()))
        driver.enlarge_heap(_HEAP_SLACK * plan["heap"] * at_once)
    # A grid that counts clusters has a scale of 1, and the driver learns their size from the PTX.
    config = driver.LaunchConfig(
        blocks, tuple(plan["block"]), tuple(plan["grid_scale"]), plan["dynamic_shared_memory"]
    )
    start = ctypes.addressof((ctypes.c_char * len(packed)).from_buffer(packed))
    addresses = [start + offset for offset in offsets]
    return Prepared(kernel, config, (ctypes.c_void_p * len(addresses))(*addresses), packed)


def load(symbol: str, plan: Mapping[str, Any], image: Image) -> None:
    """Load the code into the driver; see `CompiledEntry.load`."""
    driver.start()
    try:
        _kernel(plan, image, {})
    except LaunchError as problem:
        raise LaunchError(f"{display(symbol)}: {problem}") from None


def _kernel(plan: Mapping[str, Any], image: Image, devices: Mapping[int, int | None]) -> Any:
    """Return the kernel on the context's device; `devices` are those of pointers, if known."""
    known = {number: device for number, device in devices.items() if device is not None}
    device = driver.current_device(next(iter(known.values()), 0))
    for number, other in known.items():
        if other != device:
            raise LaunchError(
                f"parameter {number} is memory of GPU {other}, but GPU {device} is the current one"
            )
    check_target(plan, driver.capability(device))
    return image.kernel(plan, device)


def _put_tensor_maps(shown: str, plan: Mapping[str, Any], packed: bytearray) -> list[int]:
    """Put the tensor maps behind the arguments, and return their offsets."""
    offsets = [recipe["offset"] for recipe in plan["tensor_maps"]]
    device = driver.current_device()
    for number, (offset, each) in enumerate(zip(offsets, tensor_maps(plan, packed), strict=True)):
        try:
            encoded = encode(each, device)
        except DeviceError as problem:
            text = f"{shown}: tensor map {number} of address {each.base:#x}: {problem}"
            raise DeviceError(text, problem.code) from None
        packed[offset : offset + len(encoded)] = encoded
    return offsets


def _wait(symbol: str, plan: Mapping[str, Any], stream: int) -> None:
    """Wait for the end of a launch, and raise what went wrong in it."""
    try:
        driver.synchronize(stream)
    except DeviceError as problem:
        if problem.code == driver.ASSERTED and plan["asserts"]:
            raise KernelAssertionError(
                "an assertion is false; the driver has printed which one, and serves this process"
                " no more",
                op="assert",
                kernel=symbol,
                block=None,
            ) from None
        raise DeviceError(f"{display(symbol)}: {problem}", problem.code) from None


def _blocks(plan: Mapping[str, Any], tiles: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the launch grid of a tile grid; LaunchError if it is too large."""
    for axis, extent, most in zip(_AXES, tiles, plan["grid_limits"], strict=True):
        if extent > most:
            raise LaunchError(f"grid extent {extent} along {axis} is more than {most}")
    named = dict(zip(_AXES, tiles, strict=True))
    x, y, z = (named[a] * n for a, n in zip(plan["grid"], plan["grid_scale"], strict=True))
    return x, y, z


def _size(plan: Mapping[str, Any]) -> int:
    """Return the bytes of all parameters, those for tensor maps, too."""
    rows = [*plan["parameters"], *plan["tensor_maps"]]
    return max((row["offset"] + row["size"] for row in rows), default=0)


def check_target(plan: Mapping[str, Any], capability: tuple[int, int]) -> None:
    """Raise LaunchError if code for a plan's target does not run on a GPU of this capability."""
    ptx_target = plan["ptx_target"]
    if gpus.runs(ptx_target, capability):
        return
    text = f"it was compiled for {plan['target']}, but the GPU is {gpus.gpu_name(capability)}"
    if not gpus.runs_on(ptx_target)[1]:
        text += f"; PTX for {ptx_target} runs on {gpus.described(ptx_target)}"
    raise LaunchError(text)
