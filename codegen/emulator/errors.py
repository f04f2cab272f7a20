"""What goes wrong in an emulated kernel, by kind, and where that is.

What the kernel did is an `EmulationError`. Where the launch does not fit the kernel it is a
`LaunchError` as well, and where the emulator does not know the PTX an `UnsupportedError`.
"""

from __future__ import annotations

from typing import Any

from tileir.errors import EmulationError, LaunchError, UnsupportedError

KINDS = {
    "syntax": "the text is no PTX that the emulator reads",
    "unknown": "an instruction, operand or symbol that the emulator does not know",
    "launch": "arguments or grid do not fit the launch plan",
    "bounds": "an access outside the memory it is meant for",
    "alignment": "an address that is no multiple of the bytes accessed",
    "poison": "a register or a byte that nothing has written is read",
    "race": "two threads touch the same bytes, one writes, and nothing orders them",
    "barrier": "threads meet at a barrier in a way that PTX leaves undefined",
    "warp": "an exchange between lanes of which one does not take part",
    "heap": "memory of the heap is given back wrongly, or not at all",
    "deadlock": "no thread can go on, and not all have ended",
    "livelock": "more steps than the limit",
    "trap": "the kernel ended itself",
    "assert": "the kernel called __assertfail, which ends it",
}
"""Kind of an error -> what it means."""


class UnsupportedPtxError(EmulationError, UnsupportedError):
    """PTX that the emulator does not read, or an instruction that it does not know."""


class EmulatedLaunchError(EmulationError, LaunchError):
    """Arguments, grid or options do not fit the kernel, its launch plan or the emulator."""


_CLASSES = {
    "syntax": UnsupportedPtxError,
    "unknown": UnsupportedPtxError,
    "launch": EmulatedLaunchError,
}


def emulation_error(kind: str, message: str, **where: Any) -> EmulationError:
    """The error of a kind; `where` is what `EmulationError` takes."""
    assert kind in KINDS
    return _CLASSES.get(kind, EmulationError)(kind, message, **where)
