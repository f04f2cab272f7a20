"""Machine code for GPUs, by NVIDIA's ptxas, kept on disk like everything that was compiled."""

from __future__ import annotations

import hashlib

from tileir.tools import nvidia

from .cache.folder import find_store
from .cache.key import CUBIN
from .cache.slot import Slot

_MAGIC = b"\x7fELF"


def assembled(ptx: str, target: str, lines: bool = False, cache: bool = True) -> bytes:
    """Return the cubin that ptxas makes of PTX for a target, with source lines if wanted.

    It is kept for the version of ptxas that is installed, unless `cache` is false. ToolError if
    ptxas is not installed, or refuses the PTX.
    """
    store = find_store(CUBIN) if cache else None
    if store is None:
        return nvidia.assemble(ptx, target, lines)
    facts = {
        "target": nvidia.architecture(ptx, target),
        "options": {"lineinfo": lines},
        "ptx": hashlib.sha256(ptx.encode("utf-8", "surrogatepass")).hexdigest(),
        "made_with": nvidia.ptxas_version(),
    }
    slot = Slot.of(store, CUBIN, facts)
    kept = slot.get()
    if kept is not None and kept.startswith(_MAGIC):
        return kept
    made = nvidia.assemble(ptx, target, lines)
    slot.put(made)
    return made
