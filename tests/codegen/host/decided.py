"""What the stages decide about a kernel for the host."""

from __future__ import annotations

from tileir.codegen import pipeline
from tileir.codegen.host.state import KernelState, State
from tileir.codegen.kernel import KernelIR


def workspace(kernel: KernelIR) -> int:
    """The bytes that the buffers of a kernel take."""
    each = KernelState(kernel)
    pipeline.run("host", State([each]), until="place_buffers")
    return each.storage.size
