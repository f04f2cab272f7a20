"""Float arithmetic and functions; `approximations` has the errors of approximate ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tileir.codegen.emulator.ptx.table import value
from tileir.codegen.emulator.ptx.types import dtype

from .approximations import settle
from .halves import lifted
from .rounding import MIRRORS, add_exactly, by_fractions, fused, rounded, with_zeros

_MODE = "(?P<mode>.r[nzmp])?"
_SAT = "(?P<sat>.sat)?"
_FLAGS = f"(?P<ftz>.ftz)?{_SAT}"
_CLAMP = "((?P<sat>.sat)|(?P<relu>.relu))?"
_EXACT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}
_IN_DOUBLES: dict[str, Callable[..., Any]] = {
    # Of f32; a product is exact, and a quotient that f32 does not have is further from all f32
    # than a double's rounding.
    "add": add_exactly,
    "sub": lambda a, b: add_exactly(a, -b),
    "mul": np.multiply,
    "div": np.divide,
}
_PLAIN = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


def flushed(a: Any) -> Any:
    """Replace subnormal numbers by zeros of their sign."""
    tiny = np.abs(a) < np.finfo(np.float32).tiny
    return np.where(tiny, np.copysign(a.dtype.type(0), a), a)


def finished(function: Callable[..., Any], match: re.Match[str], kind: str) -> Callable[..., Any]:
    """Return an operation with the modifiers of its opcode: .ftz, and .sat or .relu, not both."""
    groups = match.groupdict()
    inner = function
    if groups.get("ftz") and kind == "f32":
        inner = lambda *operands: flushed(function(*map(flushed, operands)))  # noqa: E731
    if groups.get("sat"):
        return lambda *operands: saturated(inner(*operands))
    if groups.get("relu"):
        return lambda *operands: rectified(inner(*operands))
    return inner


def saturated(a: Any) -> Any:
    """Clamp to 0..1; NaN becomes 0."""
    one, zero = a.dtype.type(1), a.dtype.type(0)
    return np.where(a > zero, np.where(a < one, a, one), zero).astype(a.dtype)


def rectified(a: Any) -> Any:
    """Replace negative numbers by zero; NaN stays."""
    return np.where(a < 0, a.dtype.type(0), a).astype(a.dtype)


def basic(name: str, kind: str, mode: str) -> Callable[..., Any]:
    """Return one of the four basic operations on a type, rounded in a mode."""
    plain = _PLAIN[name]
    if mode == "rn":
        return plain if kind != "bf16" else _through_f32(plain, kind)
    if kind == "f64":
        return lambda a, b: by_fractions(_EXACT[name], (a, b), mode, MIRRORS[name])

    def directed(a: Any, b: Any) -> Any:
        doubles = a.astype(np.float64), b.astype(np.float64)
        return rounded(with_zeros(_IN_DOUBLES[name], doubles, mode, MIRRORS[name]), kind, mode)

    return directed


def _through_f32(plain: Callable[..., Any], kind: str) -> Callable[..., Any]:
    return lambda *ops: plain(*(a.astype(np.float32) for a in ops)).astype(dtype(kind))


def fma(match: re.Match[str]) -> Callable[..., Any]:
    """`fma` and `mad`, with one rounding."""
    kind, mode = match["t"], match["mode"][1:]
    single = kind.removesuffix("x2")
    once = finished(lambda a, b, c: fused(a, b, c, single, mode), match, single)
    return lifted(once, single) if kind != single else once


def arithmetic(name: str) -> Callable[[re.Match[str]], Callable[..., Any]]:
    """Return the row's function for add, sub, mul or div."""

    def make(match: re.Match[str]) -> Callable[..., Any]:
        kind, mode = match["t"], (match["mode"] or ".rn")[1:]
        if kind.endswith("x2"):
            single = kind[:-2]
            return lifted(finished(basic(name, single, mode), match, single), single)
        return finished(basic(name, kind, mode), match, kind)

    return make


def mixed(plain: Callable[..., Any]) -> Callable[[re.Match[str]], Callable[..., Any]]:
    """Return arithmetic on f32 in which all operands but the last have a smaller format."""

    def make(match: re.Match[str]) -> Callable[..., Any]:
        function = plain(match)
        return lambda *ops: function(*(each.astype(np.float32) for each in ops[:-1]), ops[-1])

    return make


# Minimum and maximum --------------------------------------------------------------------------


def extreme(match: re.Match[str]) -> Callable[..., Any]:
    """`min` and `max`: -0 is below +0; a NaN operand is ignored, or with .NaN the result."""
    kind, largest = match["t"], match["o"] == "max"
    single = kind.removesuffix("x2")
    function = finished(_choice(largest, match["nan"] is not None, single), match, single)
    if match["xor"]:
        function = _sign_of_both(function)
    if kind == "f32":
        function = _without_missing(function)
    return lifted(function, single) if kind != single else function


def _without_missing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that leaves out operands that are missing."""
    return lambda *operands: function(*(each for each in operands if each is not None))


def _choice(largest: bool, propagates: bool, kind: str) -> Callable[..., Any]:
    def choose(first: Any, *others: Any) -> Any:
        for other in others:
            first = _better(first, other, largest, propagates, kind)
        return first

    return choose


def _better(a: Any, b: Any, largest: bool, propagates: bool, kind: str) -> Any:
    first = (a > b) if largest else (a < b)
    zeros = (a == b) & (np.signbit(a) != np.signbit(b))
    first = first | (zeros & (np.signbit(b) if largest else np.signbit(a)))
    result = np.where(first | np.isnan(b), a, b)
    either = np.isnan(a) | np.isnan(b) if propagates else np.isnan(a) & np.isnan(b)
    return np.where(either, canonical_nan(kind), result)


def _sign_of_both(function: Callable[..., Any]) -> Callable[..., Any]:
    def signed(a: Any, b: Any) -> Any:
        result = function(np.abs(a), np.abs(b))
        one = np.ones_like(result)
        return np.copysign(result, np.where(np.signbit(a) != np.signbit(b), -one, one))

    return signed


def canonical_nan(kind: str) -> Any:
    """Return the canonical NaN of a type, which PTX produces."""
    bits = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}[kind]
    return np.array(bits, f"u{dtype(kind).itemsize}").view(dtype(kind))[()]


# Functions ------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "rcp": lambda a: 1.0 / a,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1.0 / np.sqrt(a),
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


def function(match: re.Match[str]) -> Callable[..., Any]:
    """`ex2`, `rcp` and others of one operand, computed in doubles and rounded once more."""
    kind = match["t"]
    single = kind.removesuffix("x2")
    exact = FUNCTIONS[match["o"]]
    if kind == "f32" and "mode" not in match.groupdict():
        return finished(lambda a: _approximated(match["o"], exact, a), match, kind)
    mode = (match.groupdict().get("mode") or ".rn")[1:]
    if single == "f64" and mode != "rn":
        return _directed_f64(match["o"], mode)

    def apply(a: Any) -> Any:
        # No root or reciprocal of an f32 is closer to another f32 than a double's rounding.
        result = rounded(exact(a.astype(np.float64)), single, mode)
        return np.where(np.isnan(result), canonical_nan(single), result)

    finish = finished(apply, match, single)
    return lifted(finish, single) if kind != single else finish


def _approximated(name: str, exact: Callable[..., Any], *operands: Any) -> Any:
    result = settle(name, exact(*(each.astype(np.float64) for each in operands)), *operands)
    return np.where(np.isnan(result), canonical_nan("f32"), result)


def quotient(match: re.Match[str]) -> Callable[..., Any]:
    """`div.approx` and `div.full`; the former takes divisors above 2^126 for infinite."""

    def divide(a: Any, b: Any) -> Any:
        result = _approximated("div", np.divide, a, b)
        if match["how"] == "full":
            return result
        return np.where(np.abs(b) > np.float32(2.0**126), a * np.copysign(np.float32(0), b), result)

    return finished(divide, match, "f32")


def _directed_f64(name: str, mode: str) -> Callable[..., Any]:
    if name == "rcp":
        return lambda a: by_fractions(lambda x: 1 / x, (a,), mode, MIRRORS["rcp"])

    def root(a: Any) -> Any:
        nearest = np.asarray(np.sqrt(a))
        out = nearest.copy().reshape(-1)
        for index, (number, guess) in enumerate(
            zip(np.ravel(a).tolist(), out.tolist(), strict=True)
        ):
            if number > 0 and np.isfinite(number):
                error = Fraction(guess) ** 2 - Fraction(number)
                if error > 0 and mode in ("rz", "rm"):
                    out[index] = np.nextafter(guess, 0.0)
                elif error < 0 and mode == "rp":
                    out[index] = np.nextafter(guess, np.inf)
        return out.reshape(nearest.shape)[()]

    return root


def sign_bit(operation: str, kind: str) -> Callable[..., Any]:
    """Return neg or abs, which change the sign bit only, of NaN too."""
    single = kind.removesuffix("x2")
    numpy = {"neg": np.negative, "abs": np.abs}[operation]
    return lifted(numpy, single) if single != kind else numpy


def classify(match: re.Match[str]) -> Callable[..., Any]:
    """`testp`: the test of a float's class."""
    tiny = np.finfo(dtype(match["t"])).tiny
    return {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda a: ~np.isnan(a),
        "notanumber": np.isnan,
        "normal": lambda a: np.isfinite(a) & (np.abs(a) >= tiny),
        "subnormal": lambda a: (np.abs(a) < tiny) & (a != 0),
    }[match["o"]]


for _name in _PLAIN:
    if _name == "div":
        value(f"div{_MODE}{_FLAGS}.<t:float>", "t = t t", arithmetic("div"))
    else:
        value(f"{_name}{_MODE}{_FLAGS}.<t:float>", "t = t t", arithmetic(_name))
        value(f"{_name}{_MODE}{_FLAGS}.<t:half>", "t = t t", arithmetic(_name))
value(f"(fma|mad)(?P<mode>.r[nzmp]){_FLAGS}.<t:float>", "t = t t t", fma)
value(f"fma(?P<mode>.rn)(?P<ftz>.ftz)?{_CLAMP}.<t:half>", "t = t t t", fma)
for _name in ("add", "sub", "mul"):
    value(f"{_name}{_MODE}(?P<ftz>.ftz)?.(?P<t>f32x2)", "t = t t", arithmetic(_name))
value("fma(?P<mode>.r[nzmp])(?P<ftz>.ftz)?.(?P<t>f32x2)", "t = t t t", fma)
for _name in ("add", "sub"):
    value(f"{_name}{_MODE}{_SAT}.(?P<t>f32).(?P<s>f16|bf16)", "t = s t", mixed(arithmetic(_name)))
value(f"fma(?P<mode>.r[nzmp]){_SAT}.(?P<t>f32).(?P<s>f16|bf16)", "t = s s t", mixed(fma))
_EXTREME = "(?P<o>min|max)(?P<ftz>.ftz)?(?P<nan>.NaN)?(?P<xor>.xorsign.abs)?"
value(f"{_EXTREME}.(?P<t>f32)", "t = t t t?", extreme)
value(f"{_EXTREME}.(?P<t>f64)", "t = t t", extreme)
value(f"{_EXTREME}.<t:half>", "t = t t", extreme)
value(
    "(?P<o>ex2|lg2|sin|cos|tanh|rcp|rsqrt|sqrt).approx(?P<ftz>.ftz)?.<t:float>", "t = t", function
)
value("div.(?P<how>approx|full)(?P<ftz>.ftz)?.(?P<t>f32)", "t = t t", quotient)
value("(?P<o>ex2|tanh).approx(?P<ftz>.ftz)?.<t:half>", "t = t", function)
value("(?P<o>rcp|sqrt)(?P<mode>.r[nzmp])(?P<ftz>.ftz)?.<t:float>", "t = t", function)
value(
    "testp.(?P<o>finite|infinite|number|notanumber|normal|subnormal).<t:float>",
    "pred = t",
    classify,
)
for _name in ("neg", "abs"):
    for _set in ("float", "half"):
        value(f"{_name}(.ftz)?.<t:{_set}>", "t = t", lambda m, name=_name: sign_bit(name, m["t"]))
value("copysign.<t:float>", "t = t t", lambda m: lambda a, b: np.copysign(b, a))
