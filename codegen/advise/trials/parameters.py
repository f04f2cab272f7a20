"""Which parameters of a kernel a value comes from, and what to call them."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.ir import Body, Op, Value
from tileir.launch.roles import roles_of
from tileir.read.function import Function

_SAME = ("assume", "broadcast", "exti", "ptr_to_ptr", "reshape", "trunci")
"""Ops that hand on the number or address that they get."""
_ACROSS = frozenset({"load_ptr_tko", "load_view_tko", "atomic_rmw_tko", "atomic_cas_tko"})
"""Ops whose result is memory's, whatever parameters they have."""


def origin(value: Value) -> Value:
    """Return the value that another one is, but for its type and what is assumed of it."""
    while isinstance(value.owner, Op) and value.owner.name in _SAME:
        value = next(value.owner.operand_list())
    return value


def constant_of(value: Value) -> int | float | None:
    """Return the number that all elements of a value are, if it comes from such a constant."""
    made = origin(value).owner
    if not isinstance(made, Op) or made.name != "constant":
        return None
    constant = made.attributes["value"]
    return constant.value() if constant.is_splat else None


def slice_of(value: Value) -> Iterator[Op]:
    """Yield the ops that a value is computed by, each once; none behind loads or loops."""
    seen: set[Op] = set()
    waiting = [value]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, Op) and op not in seen and not op.regions:
            seen.add(op)
            yield op
            if op.name not in _ACROSS:
                waiting += op.operand_list()


def parameters_of(value: Value, function: Function) -> list[Value]:
    """Return the parameters that a value is computed from, in order."""
    arguments = function.body.block.arguments
    found = {id(value)} | {id(each) for op in slice_of(value) for each in op.operand_list()}
    return [each for each in arguments if id(each) in found]


class Called:
    """Names for the values of a function, in sentences: parameters, and what they are."""

    def __init__(self, body: Body) -> None:
        self._numbers = {v: n for n, v in enumerate(body.block.arguments)}
        self._roles = [*map(_role, roles_of(body).described())]

    def __call__(self, value: Value) -> str:
        """Return what to call a value."""
        source = origin(value)
        number = self._numbers.get(source)
        if number is None:
            made = source.owner
            return f"what {made.name} gives" if isinstance(made, Op) else "a loop's value"
        return f"parameter {number} ({self._roles[number]})"


def _role(described: str) -> str:
    """Return what a parameter is in a few words: "address of array 0", "stride 1 of array 2"."""
    array, colon, rest = described.partition(", a multiple")[0].partition(": ")
    if not colon:
        return "address" if array.startswith("array") else array
    return f"address of {array}" if rest.startswith("shape") else f"{rest} of {array}"
