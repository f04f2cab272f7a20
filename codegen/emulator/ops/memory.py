"""Loads and stores in all state spaces; parameters of the kernel and of calls."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import load, store
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype, storage, width
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.scopes import SCOPES, WEAK

_ORDER = (
    "(.(?P<order>weak|volatile|mmio|relaxed|acquire|release))?(.(?P<scope>cta|cluster|gpu|sys))?"
)
_CACHE = r"(.L[12]::\w+)*(.nc)?(.(ca|cg|cs|lu|cv|wb|wt))?(.L[12]::\w+)*"
_SPACE = "(.(?P<space>global|shared::cluster|shared|local|const)(::cta)?)?"
_VECTOR = "(.v(?P<count>[248]))?"


def access(match: re.Match[str], writes: bool) -> Access:
    """Return the access of an opcode of ld or st."""
    order = match["order"] or "weak"
    return Access(
        width(match["t"]),
        int(match["count"] or 1),
        writes,
        scope=WEAK if order == "weak" else SCOPES[match["scope"] or "sys"],
        acquires=order == "acquire",
        releases=order == "release",
    )


def loading(match: re.Match[str]) -> Any:
    """`ld` and `ldu`: a word of the type for each destination."""
    how, kind = access(match, False), dtype(match["t"])
    name = {"const": "global"}.get(match["space"], match["space"])

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any) -> tuple[Any, ...]:
        words = load(lanes, statement, mask, address, how, name)
        return tuple(word.view(kind) for word in words)

    return run


def storing(match: re.Match[str]) -> Any:
    """`st`: the lower bits of each source."""
    how, kind, name = access(match, True), storage(match["t"]), match["space"]

    def run(
        lanes: Lanes, statement: Statement, mask: Any, address: Any, words: tuple[Any, ...]
    ) -> None:
        store(lanes, statement, mask, address, tuple(word.view(kind) for word in words), how, name)

    return run


def parameter(match: re.Match[str]) -> Any:
    """`ld.param`: a parameter of the kernel, or the result of a call."""
    kind, count = dtype(match["t"]), int(match["count"] or 1)
    size = kind.itemsize * count

    def run(lanes: Lanes, statement: Statement, mask: Any, source: Any) -> tuple[Any, ...]:
        if isinstance(source, tuple):
            if source[0] not in lanes.batch.outgoing:
                raise lanes.error("unknown", f"no result of a call in {source[0]}", statement)
            return (lanes.batch.outgoing[source[0]],)
        held = np.frombuffer(lanes.batch.parameters, np.uint8)
        start = (source if mask is None else np.where(mask, source, 0)).astype(np.int64)
        wrong = (start < 0) | (start + size > len(held))
        if np.any(wrong):
            message = f"{size} bytes at {int(np.max(start))} of {len(held)} bytes of parameters"
            raise lanes.error("bounds", message, statement, wrong)
        words = held[start[..., None] + np.arange(size)].view(kind)
        return tuple(words[..., column][()] for column in range(count))

    return run


def passing(match: re.Match[str]) -> Any:
    """`st.param`: a parameter of a call that follows."""

    def run(
        lanes: Lanes, statement: Statement, mask: Any, target: tuple[str, int], words: Any
    ) -> None:
        lanes.batch.outgoing[target[0]] = words[0]

    return run


def nothing(match: re.Match[str]) -> Any:
    """`prefetch`, which only hints."""
    return lambda lanes, statement, mask, *operands: None


effect(f"ld.param(::entry|::func)?{_VECTOR}.<t:any>", "t* = @", parameter)
effect(f"st.param(::func)?{_VECTOR}.<t:any>", "= @ t*", passing)
effect(f"ld{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "t* = @", loading)
effect(f"ldu{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "t* = @", loading)
effect(f"st{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "= @ t*", storing)
effect(r"prefetch(u)?(.(global|local))?(.(L1|L2))(::\w+)?", "= @", nothing)
