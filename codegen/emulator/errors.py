"""The errors of emulated kernels: their kinds and classes.

Every one is an `EmulationError`. If the launch does not fit the kernel, it is a `LaunchError` too;
if the emulator does not know the PTX, an `UnsupportedError`.
"""

from __future__ import annotations

from typing import Any

from tileir.errors import EmulationError, LaunchError, UnsupportedError

KINDS = {
    "syntax": "the text is not PTX that the emulator reads",
    "unknown": "an instruction, operand or symbol that the emulator does not know",
    "launch": "arguments or grid do not fit the launch plan",
    "bounds": "an access outside the memory it is meant for",
    "alignment": "an address that is not a multiple of the bytes accessed",
    "poison": "a read of a register or a byte that was never written",
    "race": "two threads access the same bytes, one writes, and nothing orders the accesses",
    "proxy": "the asynchronous proxy does not see a write, for want of fence.proxy.async",
    "barrier": "threads arrive at a barrier in a way that PTX leaves undefined",
    "warp": "an exchange between lanes in which one of them does not take part",
    "descriptor": "a matrix descriptor that describes nothing",
    "fence": "an asynchronous access that no fence orders after earlier ones of the threads",
    "registers": "warps request or release registers in a way that PTX leaves undefined",
    "heap": "memory of the heap is freed wrongly, or never",
    "deadlock": "no thread can continue, and not all have ended",
    "livelock": "more steps than the limit",
    "trap": "the kernel ended itself",
    "assert": "the kernel called __assertfail, which ends it",
}
"""Kind of an error -> what it means."""


class UnsupportedPtxError(EmulationError, UnsupportedError):
    """The emulator cannot read the PTX, or does not know an instruction in it."""


class EmulatedLaunchError(EmulationError, LaunchError):
    """Arguments, grid or options do not fit the kernel, its launch plan or the emulator."""


_CLASSES = {
    "syntax": UnsupportedPtxError,
    "unknown": UnsupportedPtxError,
    "launch": EmulatedLaunchError,
}


def emulation_error(kind: str, message: str, **where: Any) -> EmulationError:
    """Return the error of a kind; `where` has the location arguments of `EmulationError`."""
    assert kind in KINDS
    return _CLASSES.get(kind, EmulationError)(kind, message, **where)
