"""What the device says of itself, to the driver, torch and cupy alike."""

from __future__ import annotations

from tileir.gpus import gpu_name

MEMORY = 8 << 30
"""Bytes of memory."""

MULTIPROCESSORS = 16
"""The same on every machine, so that programs with one block per SM do the same work everywhere."""

WARP = 32
THREADS_PER_BLOCK = 1024
L2_CACHE = 1 << 20
SHARED_MEMORY, SHARED_MEMORY_OPTIN, SHARED_MEMORY_OF_MULTIPROCESSOR = 48 << 10, 227 << 10, 228 << 10
"""Bytes; of shared memory of a block by default and at most, and of a multiprocessor."""


def name(capability: tuple[int, int]) -> str:
    """Return the name of the device as a GPU of a compute capability."""
    return f"tileir on the CPU, as {gpu_name(capability)}"
