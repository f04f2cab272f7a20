"""Which folder generates code for a target."""

from __future__ import annotations

from tileir.errors import UnsupportedError

HOST = "host"


def package_of(target: str) -> str:
    """The package beside this file that compiles for a target; UnsupportedError for an unknown one.

    Every such package has `compile_kernels(kernels, target)` and `why_not(op, target)`.
    """
    if target == HOST:
        return "host"
    from .nvptx.targets import TARGETS

    if target in TARGETS:
        return "nvptx"
    raise UnsupportedError(f"unknown target {target!r}; known are {', '.join([HOST, *TARGETS])}")
