"""The trial of a tensor whose address, extents and strides are parameters, as they are passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.ir import Op, Value

from .parameters import Called, origin, parameters_of
from .tensors import tensor_of
from .trial import Trial

_SLOTS = ("base", "dynamicShape", "dynamicStrides")


def _as_passed(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Replace what is computed by a parameter of its type, of those that it is computed from."""
    told: dict[Site, str] = {}
    changed: dict[Op, str] = {}
    for site in sites:
        assert site.number is not None
        op, function = copy.ops[site.number], copy.functions[site.number]
        view = tensor_of(op)
        if view is None:
            continue
        if view not in changed:
            called, names = Called(function.body), list[str]()
            for slot in _SLOTS:
                given = view.operands[slot]
                values = (given,) if isinstance(given, Value) else given
                made = tuple(_passed(value, copy, site.number) for value in values)
                names += [
                    called(after)
                    for value, after in zip(values, made, strict=True)
                    if after is not value
                ]
                view.operands[slot] = made[0] if isinstance(given, Value) else made
            if not names:
                continue
            text = "use parameters as they are, and add the rest to indices"
            changed[view] = f"{text}: {', '.join(dict.fromkeys(names))}"
        told[site] = changed[view]
    return told


def _passed(value: Value, copy: Copy, number: int) -> Value:
    """Return a parameter that a value is computed from, as it is assumed to be; or the value."""
    if not isinstance(origin(value).owner, Op):
        return value
    for parameter in parameters_of(value, copy.functions[number]):
        if parameter.type == value.type:
            return _assumed(parameter)
    return value


def _assumed(value: Value) -> Value:
    """Return the last of the assumptions about a parameter, which knows all of them."""
    block = value.owner
    while True:
        after = [
            use.op.result
            for use in value.uses
            if use.op.name == "assume" and use.op.parent is block
        ]
        if not after:
            return value
        value = after[-1]


AS_PASSED = Trial(_as_passed, cause=tensor_of)
"""Tensors begin where a parameter says, and have the extents and strides that are passed."""
