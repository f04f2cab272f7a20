"""Atomic updates of memory: `atom` returns the old value, `red` does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.codegen.emulator.memory.generic import update
from tileir.codegen.emulator.ptx.syntax import Statement
from tileir.codegen.emulator.ptx.table import effect
from tileir.codegen.emulator.ptx.types import dtype, width
from tileir.codegen.emulator.threads.access import Access
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.scopes import SCOPES

from .floats import basic, flushed
from .halves import lifted

_ORDERS = {
    "atom": "(.(?P<order>relaxed|acquire|release|acq_rel))?",
    "red": "(.(?P<order>relaxed|release))?",
}
_SCOPE = "(.(?P<scope>cta|cluster|gpu|sys))?"
_SPACE = "(.(?P<space>global|shared::cluster|shared|local)(::cta)?)?"
_GLOBAL = "(.(?P<space>global))?"
_HINT = r"(.L2::cache_hint)?"

_INTEGER: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "exch": lambda old, a: a,
    "cas": lambda old, a, b: np.where(old == a, b, old),
    "inc": lambda old, a: np.where(old >= a, a.dtype.type(0), old + a.dtype.type(1)),
    "dec": lambda old, a: np.where((old == 0) | (old > a), a, old - a.dtype.type(1)),
}


def change(operation: str, kind: str, space: str) -> Callable[..., Any]:
    """Return the function from the old value and the operands to the new value.

    `atom.add.f32` flushes subnormal numbers to zero in global memory, not in shared memory (PTX
    ISA).
    """
    single = kind.removesuffix("x2")
    if dtype(single).kind in "ui":
        return _INTEGER[operation]
    if operation in ("min", "max"):
        numpy = {"min": np.fmin, "max": np.fmax}[operation]
        return lifted(numpy, single) if single != kind else numpy
    add = basic("add", single, "rn")
    if kind == "f32" and space == "global":
        return lambda old, a: flushed(add(flushed(old), flushed(a)))
    return lifted(add, single) if single != kind else add


def atomic(match: re.Match[str]) -> Any:
    """`atom` and `red`; lanes with the same address are ordered, the lowest first."""
    kind, space = match["t"], match["space"]
    count = int(match["count"] or 1)
    order = match["order"]
    access = Access(
        width(kind),
        count,
        writes=True,
        reads=True,
        scope=SCOPES[match["scope"] or "gpu"],
        acquires=order in ("acquire", "acq_rel"),
        releases=order in ("release", "acq_rel"),
    )
    words = f"u{width(kind)}"
    functions = {name: change(match["o"], kind, name) for name in ("global", "shared", "local")}
    returns = match["n"] == "atom"

    def on_words(space: str, old: Any, *operands: Any) -> Any:
        numbers = [each.view(dtype(kind)) for each in (old, *operands)]
        return np.asarray(functions[space](*numbers)).astype(dtype(kind), copy=False).view(words)

    def run(lanes: Lanes, statement: Statement, mask: Any, address: Any, *operands: Any) -> Any:
        lists = [each if isinstance(each, tuple) else (each,) for each in operands]
        raw = [[word.view(words) for word in each] for each in lists]
        old = update(lanes, statement, mask, address, raw, on_words, access, space)
        return tuple(word.view(dtype(kind)) for word in old) if returns else None

    return run


_WHOLE = "u32|s32|u64|s64"
_COUNT = "(.(?P<count>1))?"
_TYPES = {
    "add": f"{_WHOLE}|f32|f64",
    "min|max": _WHOLE,
    "and|or|xor": "b32|b64",
    "exch": "b32|b64",
    "inc|dec": "u32",
}
_VECTORS = (
    ("(?P<o>add)", "v(?P<count>[24]).(?P<t>f32)"),
    ("(?P<o>add|min|max).noftz", "v(?P<count>[24]).(?P<t>b?f16x2)"),
    ("(?P<o>add|min|max).noftz", "v(?P<count>[248]).(?P<t>b?f16)"),
)
"""Vector operations; each element is updated atomically for itself."""
for _name, _result in (("atom", "t* "), ("red", "")):
    _head = f"(?P<n>{_name}){_ORDERS[_name]}{_SCOPE}{_SPACE}"
    for _operations, _kinds in _TYPES.items():
        if (_name, _operations) == ("red", "exch"):
            continue
        effect(
            f"{_head}.(?P<o>{_operations}){_HINT}{_COUNT}.(?P<t>{_kinds})",
            f"{_result}= @ t*",
            atomic,
        )
    effect(f"{_head}.(?P<o>add).noftz{_HINT}{_COUNT}.(?P<t>b?f16(x2)?)", f"{_result}= @ t*", atomic)
    _head = f"(?P<n>{_name}){_ORDERS[_name]}{_SCOPE}{_GLOBAL}"
    for _operations, _kinds in _VECTORS:
        for _vector in (f".{_operations}{_HINT}.{_kinds}", f".{_kinds}.{_operations}{_HINT}"):
            effect(f"{_head}{_vector}", f"{_result}= @ t*", atomic)
_head = f"(?P<n>atom){_ORDERS['atom']}{_SCOPE}{_SPACE}"
effect(f"{_head}.(?P<o>cas){_HINT}{_COUNT}.(?P<t>b16|b32|b64)", "t* = @ t t", atomic)
