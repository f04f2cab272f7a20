"""torch's device "cuda" on the CPU: real tensors of that device, whose ops the CPU carries out.

Nothing of what programs call is replaced. Under it are: the objects through which torch's C++ core
asks about a device (`native.py`), kernels of all ops for it (`kernels.py`, on the memory that
`tensors.py` shows under either device), and the C++ functions that `torch.cuda` calls
(`bindings.py`). ARCHITECTURE.md says why.
"""

from __future__ import annotations

import importlib.util
import sys

from tileir.errors import UnsupportedError
from tileir.messages.texts import printable


def install(capability: tuple[int, int]) -> None:
    """Give torch the device for the rest of the process, if torch is installed.

    cuTile imports an installed torch at the first launch, even if the program does not. A torch
    that is not built as those that are known stays as it is, and a warning says why: programs that
    do without it, or have tensors on the CPU only, run all the same.
    """
    if importlib.util.find_spec("torch") is None:
        return
    import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

    from . import native

    try:
        native.install(torch)
    except UnsupportedError as error:
        print(printable(f"tileir cutile: warning: {error}"), file=sys.stderr)
        return
    from . import bindings, kernels, python

    bindings.install(torch, capability)
    kernels.install()
    python.install(torch)
