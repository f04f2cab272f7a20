"""The Python call that makes an op, derived from its row: parameters, defaults, missing arguments.

The parameters are the op's operands in the order of the row, then its attributes; both may also be
given by name. Names that Python reserves get an underscore: ``if_``, ``from_``.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature

from tileir.errors import BuildError
from tileir.formats.leaves import EnumValue
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import Attribute, Each, Op, Operand
from tileir.ir import Value
from tileir.messages.wording import choice, did_you_mean
from tileir.write.body import default_of

RESULTS = ("result", "results", "location")
"""Parameters of every call besides the slots of its row."""


def python_name(name: str) -> str:
    """Return a name of the table as a Python identifier."""
    return f"{name}_" if keyword.iskeyword(name) else name.replace("$", "_")


METHODS = [python_name(spec.mnemonic) for spec in OPS if spec.in_body]
"""Names of the ops' methods."""


def signature(spec: Op) -> Signature:
    """Return the signature of the call that makes this op."""
    made = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    kind = Parameter.POSITIONAL_OR_KEYWORD
    slots = [*spec.operands, *spec.attributes]
    for index, slot in enumerate(slots):
        default = shown_default(slot)
        later = any(
            shown_default(other) is Parameter.empty and isinstance(other, Operand)
            for other in slots[index:]
        )
        if later:
            default = Parameter.empty
        if default is Parameter.empty and any(p.default is not Parameter.empty for p in made[1:]):
            kind = Parameter.KEYWORD_ONLY
        annotation = "Value" if isinstance(slot, Operand) else Parameter.empty
        if isinstance(slot, Operand) and slot.arity == "many":
            annotation = "Sequence[Value]"
        made.append(Parameter(python_name(slot.name), kind, default=default, annotation=annotation))
    made += [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in RESULTS]
    return Signature(made)


def shown_default(slot: Operand | Attribute) -> object:
    """Return the value of a slot that is not given; `Parameter.empty` if it must be given."""
    if isinstance(slot, Operand):
        return {"one": Parameter.empty, "optional": None, "many": ()}[slot.arity]
    if slot.default is not None:
        return None if isinstance(slot.default, Each) else slot.default
    if slot.optional:
        return None
    only = isinstance(slot.node, EnumValue) and len(slot.allowed) == 1
    return slot.allowed[0] if only else Parameter.empty


def documentation(spec: Op) -> str:
    """Return the docstring of an op's method: the op, its slots and its results."""
    lines = [spec.doc, ""]
    for slot in spec.operands:
        arity = {"one": "", "optional": ", optional", "many": ", any number"}[slot.arity]
        lines.append(f"{python_name(slot.name)}: {str(slot.type) or 'any type'}{arity}. {slot.doc}")
    for slot in spec.attributes:
        listed = f" One of {', '.join(slot.cases)}." if slot.cases else ""
        lines.append(f"{python_name(slot.name)}: {slot.doc}{listed}")
    for slot in spec.results:
        lines.append(f"Gives {slot.name}: {str(slot.type) or 'any type'}. {slot.doc}")
    lines.append(f"Since {spec.since}.")
    return "\n".join(line.rstrip() for line in lines)


def bind(spec: Op, positional: Sequence, named: Mapping[str, object]) -> tuple[dict, dict]:
    """Return the operands and attributes of a call by slot. BuildError for wrong arguments."""
    slots = {python_name(slot.name): slot for slot in (*spec.operands, *spec.attributes)}
    if len(positional) > len(slots):
        takes = ", ".join(slots) or "nothing"
        many = any(isinstance(slot, Operand) and slot.arity == "many" for slot in slots.values())
        hint = "; a slot of any length takes a list" if many else ""
        text = f"{spec.mnemonic} takes {takes}; found {len(positional)} arguments{hint}"
        raise BuildError(text)
    given = dict(zip(slots, positional, strict=False))
    for name, value in named.items():
        if name not in slots:
            known = ", ".join(slots) or "none"
            meant = did_you_mean(name, slots)
            text = f"{spec.mnemonic} has no slot {name}{meant or ';'} its slots are: {known}"
            raise BuildError(text)
        if name in given:
            raise BuildError(f"{spec.mnemonic}: {name} is given twice")
        given[name] = value
    operands = {
        slot.name: _operand(spec, slot, given.get(python_name(slot.name))) for slot in spec.operands
    }
    attributes = {}
    for slot in spec.attributes:
        value = given.get(python_name(slot.name))
        if value is None:
            value = default_of(slot, operands) if slot.default is not None else None
        if value is None and not slot.optional:
            value = shown_default(slot)
            if value is Parameter.empty:
                raise _missing(spec, slot)
        attributes[slot.name] = value
    return operands, attributes


def _operand(spec: Op, slot: Operand, value: object) -> Value | tuple[Value, ...] | None:
    if slot.arity == "many":
        values = () if value is None else (value,) if isinstance(value, Value) else value
        if not isinstance(values, Sequence) or not all(isinstance(v, Value) for v in values):
            raise _no_value(spec, slot, "values", value)
        return tuple(values)
    if value is None and slot.arity == "one":
        raise _missing(spec, slot)
    if value is not None and not isinstance(value, Value):
        raise _no_value(spec, slot, "a value", value)
    return value


def _no_value(spec: Op, slot: Operand, wanted: str, value: object) -> BuildError:
    """Return the error for an operand that is no value of a kernel."""
    hint = "; kernel.constant makes values of numbers" if isinstance(value, int | float) else ""
    return BuildError(f"{spec.mnemonic}: {slot.name} must be {wanted}, found {value!r}{hint}")


def _missing(spec: Op, slot: Operand | Attribute) -> BuildError:
    """Return the error for a slot that must be given and is not."""
    slots = (*spec.operands, *spec.attributes)
    needed = [python_name(s.name) for s in slots if shown_default(s) is Parameter.empty]
    cases = slot.cases if isinstance(slot, Attribute) else ()
    which = f", which is {choice(cases)}" if cases else ""
    text = f"{python_name(slot.name)} is missing{which}; the call needs {', '.join(needed)}"
    return BuildError(f"{spec.mnemonic}: {text}")


def check_case(slot: Attribute, value: object) -> None:
    """Raise BuildError if the value is not one of the enum cases that the row allows."""
    if slot.allowed and not (isinstance(value, str) and value in slot.allowed):
        meant = did_you_mean(value, slot.allowed) if isinstance(value, str) else ""
        raise BuildError(f"expected {choice(slot.allowed)}, found {value!r}{meant}")
