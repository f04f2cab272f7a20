"""torch's device "cuda" on the CPU: real tensors of that device, whose ops the CPU carries out.

Nothing of what programs call is replaced. Under it are: the objects through which torch's C++ core
asks about a device (`native.py`), kernels of all ops for it (`kernels.py`, on the memory that
`tensors.py` shows under either device), and the C++ functions that `torch.cuda` calls
(`bindings.py`). docs/how/cutile.md says why.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from tileir.errors import UnsupportedError
from tileir.messages.texts import printable

if TYPE_CHECKING:
    from .profiler import Recorder


def install(capability: tuple[int, int]) -> Recorder | None:
    """Give torch the device for the rest of the process, if torch is installed.

    Return what makes launches known to torch's profiler, if the device is there.

    cuTile imports an installed torch at the first launch, even if the program does not. A torch
    that is not built as those that are known stays as it is, and a warning says why: programs that
    do without it, or have tensors on the CPU only, run all the same. A torch that has a GPU gets
    the CPU in its place, for whoever calls this has asked for that.
    """
    if importlib.util.find_spec("torch") is None:
        return None
    import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

    from . import names, native

    try:
        believe = native.found(torch)
        names.look_up(torch)
        try:
            from . import bindings, kernels, profiler, python

            ops = kernels.found()
        except (AttributeError, ImportError) as error:
            raise names.unlike(torch, error) from None
    except UnsupportedError as error:
        print(printable(f"tileir cutile: warning: {error}"), file=sys.stderr)
        return None
    believe()
    bindings.install(torch, capability)
    kernels.install(*ops)
    python.install(torch)
    return profiler.install(torch)
