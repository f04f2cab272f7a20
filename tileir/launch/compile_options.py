"""The options of `tileir.compile` besides module and target, with their types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypedDict, get_args

Check = Literal["memory", "undefined", "nan"]
"""What can be checked while a kernel runs on the host."""

CHECKS: tuple[Check, ...] = get_args(Check)


class CompileOptions(TypedDict, total=False):
    """The keyword arguments that `tileir.compile` takes; its docstring says what they mean."""

    symbols: str | Iterable[str] | None
    cache: bool
    check: Check | Iterable[Check]
    trace: str | Iterable[str]
    count: bool
    lineinfo: bool | None
    portable: bool | None
    num_warps: int | None
    cluster_dim: Sequence[int] | None
    num_ctas: int | None
    maxnreg: int | None
    minnctapersm: int | None
    maxclusterrank: int | None
    blocksareclusters: bool | None
