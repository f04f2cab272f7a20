"""Which folder generates code for a target."""

from __future__ import annotations

from tileir.errors import UnsupportedError

HOST = "host"


def package_of(target: str) -> str:
    """The package beside this file that compiles for a target; UnsupportedError for an unknown one.

    Every such package has `compile_kernels(kernels, target)`, `why_not(op, target)` and
    `identity(target)`, which says what machine its code depends on. If that is not None, the code
    is kept: its compilations have `to_bytes()`, of which the package's `restore` makes them again.
    """
    if target == HOST:
        return "host"
    from .nvptx.targets import TARGETS

    if target in TARGETS:
        return "nvptx"
    from tileir.wording import did_you_mean

    known = [HOST, *TARGETS]
    # A digit too few is a slip; another digit is another GPU, and sm_70 does not mean sm_90.
    meant = did_you_mean(target, known, close=0.85) if isinstance(target, str) else ""
    raise UnsupportedError(f"unknown target {target!r}{meant}; known are {', '.join(known)}")
