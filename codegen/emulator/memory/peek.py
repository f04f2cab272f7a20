"""Single values from memory by generic address, for the functions that a kernel calls."""

from __future__ import annotations

import numpy as np

from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes

from .generic import load


def peek(lanes: Lanes, statement: Statement, lane: int, address: int, size: int) -> bytes:
    """Return one aligned word of `size` bytes as a lane sees it."""
    one = Lanes(lanes.batch, np.array([lane]))
    (word,) = load(one, statement, None, np.array([address], np.uint64), Access(size), None)
    return word.tobytes()


def peek_text(lanes: Lanes, statement: Statement, lane: int, address: int) -> str:
    """Return the text at an address, which a zero byte ends."""
    data = b""
    while (byte := peek(lanes, statement, lane, address + len(data), 1)) != b"\0":
        data += byte
    return data.decode("utf-8", "replace")
