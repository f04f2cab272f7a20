"""Random valid modules, from the op table: the same seed gives the same bytes everywhere."""

from __future__ import annotations

from .tools.sampler import sample

__all__ = ["sample"]
