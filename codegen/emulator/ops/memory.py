"""Loads and stores of all spaces; parameters of the kernel and of calls."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import load, store
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype, storage, width
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.scopes import SCOPES, WEAK

_ORDER = (
    "(.(?P<order>weak|volatile|mmio|relaxed|acquire|release))?(.(?P<scope>cta|cluster|gpu|sys))?"
)
_CACHE = r"(.L[12]::\w+)*(.nc)?(.(ca|cg|cs|lu|cv|wb|wt))?(.L[12]::\w+)*"
_SPACE = "(.(?P<space>global|shared|local|const)(::cta)?)?"
_VECTOR = "(.v(?P<count>[248]))?"


def access(match: re.Match[str], writes: bool) -> Access:
    """What an opcode of ld or st does."""
    order = match["order"] or "weak"
    return Access(
        width(match["t"]), int(match["count"] or 1), writes,
        scope=WEAK if order == "weak" else SCOPES[match["scope"] or "sys"],
        acquires=order == "acquire", releases=order == "release",
    )  # fmt: skip


def loading(match: re.Match[str]) -> Any:
    """Words as the type says, one for each destination."""
    how, kind = access(match, False), dtype(match["t"])
    name = {"const": "global"}.get(match["space"], match["space"])

    def run(lanes: Any, statement: Any, mask: Any, address: Any) -> tuple[Any, ...]:
        words = load(lanes, statement, mask, address, how, name)
        return tuple(word.view(kind) for word in words)

    return run


def storing(match: re.Match[str]) -> Any:
    """The lower bits of each source."""
    how, kind, name = access(match, True), storage(match["t"]), match["space"]

    def run(lanes: Any, statement: Any, mask: Any, address: Any, words: tuple[Any, ...]) -> None:
        store(lanes, statement, mask, address, tuple(word.view(kind) for word in words), how, name)

    return run


def parameter(match: re.Match[str]) -> Any:
    """A parameter of the kernel, usually the same for all; or what a call has returned."""
    kind, count = dtype(match["t"]), int(match["count"] or 1)
    size = kind.itemsize * count

    def run(lanes: Any, statement: Any, mask: Any, place: Any) -> tuple[Any, ...]:
        if isinstance(place, tuple):
            return (lanes.batch.outgoing[place[0]],)
        held = np.frombuffer(lanes.batch.parameters, np.uint8)
        start = (place if mask is None else np.where(mask, place, 0)).astype(np.int64)
        wrong = (start < 0) | (start + size > len(held))
        if np.any(wrong):
            message = f"{size} bytes at {int(np.max(start))} of {len(held)} bytes of parameters"
            raise lanes.error("bounds", message, statement, wrong)
        words = held[start[..., None] + np.arange(size)].view(kind)
        return tuple(words[..., column][()] for column in range(count))

    return run


def passing(match: re.Match[str]) -> Any:
    """A parameter of a call that follows."""

    def run(lanes: Any, statement: Any, mask: Any, place: tuple[str, int], words: Any) -> None:
        lanes.batch.outgoing[place[0]] = words[0]

    return run


def nothing(match: re.Match[str]) -> Any:
    """Hints change nothing."""
    return lambda lanes, statement, mask, *operands: None


effect(f"ld.param(::entry|::func)?{_VECTOR}.<t:any>", "t* = @", parameter)
effect(f"st.param(::func)?{_VECTOR}.<t:any>", "= @ t*", passing)
effect(f"ld{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "t* = @", loading)
effect(f"ldu{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "t* = @", loading)
effect(f"st{_ORDER}{_SPACE}{_CACHE}{_VECTOR}.<t:any>", "= @ t*", storing)
effect(r"prefetch(u)?(.(global|local))?(.(L1|L2))(::\w+)?", "= @", nothing)
