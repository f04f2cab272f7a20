"""Hypothesis strategies over whole modules, from the sampler."""

from __future__ import annotations

from hypothesis import strategies as st

from tileir import Bytecode
from tileir.formats.version import SUPPORTED, Version
from tileir.sampler import sample


@st.composite
def modules(draw: st.DrawFn, version: Version | str | None = None, ops: int = 40) -> Bytecode:
    """Valid modules of about `ops` ops at most, of one version or of all.

    What fails shrinks to few ops first, then to a small seed; the arguments of `sample` that give
    the same module again are in the note that Hypothesis prints.
    """
    size = draw(st.integers(0, ops), label="ops")
    chosen = draw(st.sampled_from(SUPPORTED), label="version") if version is None else version
    return sample(draw(st.integers(0, 1 << 32), label="seed"), chosen, size)
