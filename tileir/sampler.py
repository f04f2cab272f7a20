"""Random valid modules, made from the op table: a seed gives the same bytes on every machine."""

from __future__ import annotations

from .tools.sampler import sample

__all__ = ["sample"]
