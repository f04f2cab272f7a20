"""Comparisons, selection, and logic on predicates."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import value

from .halves import lifted

_ORDERED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_LOGIC = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
_COMPARE = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan"


def _unordered(a: Any, b: Any) -> Any:
    return np.isnan(a) | np.isnan(b)


def compare(name: str, kind: str) -> Any:
    """Return the comparison of that name: with NaN, unordered ones (`u`) are true, others false."""
    if name == "nan":
        return _unordered
    if name == "num":
        return lambda a, b: ~_unordered(a, b)
    if name.endswith("u"):
        ordered = _ORDERED[name[:-1]]
        return lambda a, b: ordered(a, b) | _unordered(a, b)
    if name == "ne" and kind in ("f16", "bf16", "f32", "f64"):
        return lambda a, b: np.not_equal(a, b) & ~_unordered(a, b)
    return _ORDERED[name]


def setp(match: re.Match[str]) -> Any:
    """`setp`: a comparison, combined with a predicate; `p|q` has the same for its negation too."""
    test = compare(match["c"], match["t"])
    logic = _LOGIC.get(match["b"])
    single = test if logic is None else lambda a, b, other: logic(test(a, b), other)
    if not match["both"]:
        return single

    def both(a: Any, b: Any, other: Any = None) -> tuple[Any, Any]:
        result = test(a, b)
        if logic is None:
            return result, ~result
        return logic(result, other), logic(~result, other)

    return both


def choose(a: Any, b: Any, predicate: Any) -> Any:
    """`selp`: a where the predicate holds, else b."""
    return np.where(predicate, a, b)


def set_(match: re.Match[str]) -> Any:
    """`set`: all ones, or 1.0 for a float destination."""
    test, real = compare(match["c"], match["s"]), match["t"][0] == "f"
    yes, kind = (1.0, np.float32) if real else (-1, np.int32)
    return lambda a, b: np.where(test(a, b), kind(yes), kind(0)).astype(
        {"f": np.float32, "u": np.uint32, "s": np.int32}[match["t"][0]]
    )


for _pair in ("f16x2", "bf16x2"):
    _single = _pair[:-2]
    value(
        f"setp.(?P<c>{_COMPARE})(.ftz)?.{_pair}.both",
        f"pred pred = {_pair} {_pair}",
        lambda m, kind=_single: lifted(compare(m["c"], kind), kind, joined=False),
    )
for _both, _results in (("", "pred"), (".both", "pred pred")):
    value(
        f"setp.(?P<c>{_COMPARE})(.ftz)?.(?P<b>and|or|xor).<t:any>(?P<both>{_both})",
        f"{_results} = t t pred",
        setp,
    )
    value(
        f"setp.(?P<c>{_COMPARE})(?P<b>)(.ftz)?.<t:any>(?P<both>{_both})", f"{_results} = t t", setp
    )
value(f"set.(?P<c>{_COMPARE})(.ftz)?.(?P<t>u32|s32|f32).(?P<s>[busf]\\d+)", "t = s s", set_)
value("selp.<t:any>", "t = t t pred", lambda m: choose)
value("and.(?P<t>pred)", "t = t t", lambda m: np.logical_and)
value("or.(?P<t>pred)", "t = t t", lambda m: np.logical_or)
value("xor.(?P<t>pred)", "t = t t", lambda m: np.logical_xor)
value("not.(?P<t>pred)", "t = t", lambda m: np.logical_not)
