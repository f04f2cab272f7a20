"""Ops whose result is an operand, a number, or what one op of another operand makes."""

from __future__ import annotations

from tileir.ir import Op, Value

from .arithmetic import BITWISE, INTEGERS
from .elements import all_ones, constant, integer, pattern
from .rule import EDITED, Outcome, constant_before, made_by

# Integers -----------------------------------------------------------------------------------------

MIRRORED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less_than": "greater_than",
    "less_than_or_equal": "greater_than_or_equal",
    "greater_than": "less_than",
    "greater_than_or_equal": "less_than_or_equal",
}
"""Relation -> the same one with its sides exchanged."""

NEUTRAL = {"addi": 0, "subi": 0, "ori": 0, "xori": 0, "shli": 0, "shri": 0, "muli": 1, "divi": 1}
"""Op -> the right operand that leaves the left one as it is; -1 for `andi`."""


def neutral(op: Op) -> Outcome:
    """x + 0, x * 1, x & -1 and the like are x."""
    element = integer(op.result)
    if element is None:
        return None
    wanted = all_ones(element) if op.name == "andi" else NEUTRAL[op.name]
    return op.operands["lhs"] if pattern(op.operands["rhs"]) == wanted else None


def absorbed(op: Op) -> Outcome:
    """x * 0 and x & 0 are 0, x | -1 is -1, x % 1 is 0."""
    element = integer(op.result)
    if element is None:
        return None
    bits = pattern(op.operands["rhs"])
    if op.name == "remi":
        return constant(op.result.type, [0]) if bits == 1 else None
    wanted = all_ones(element) if op.name == "ori" else 0
    return constant(op.result.type, [wanted]) if bits == wanted else None


def same_operands(op: Op) -> Outcome:
    """x - x and x ^ x are 0; x & x, x | x, the larger and the smaller of x and x are x."""
    lhs, rhs = op.operands["lhs"], op.operands["rhs"]
    if lhs is not rhs:
        return None
    return constant(op.result.type, [0]) if op.name in ("subi", "xori") else lhs


def compared_with_itself(op: Op) -> Outcome:
    """x == x, x <= x and x >= x hold; x != x, x < x and x > x do not."""
    if op.operands["lhs"] is not op.operands["rhs"]:
        return None
    holds = op.attributes["comparison_predicate"].endswith("equal")
    holds = holds and op.attributes["comparison_predicate"] != "not_equal"
    return constant(op.result.type, [int(holds)])


def constant_to_the_right(op: Op) -> Outcome:
    """A constant on the left changes places with what is no constant on the right."""
    lhs, rhs = op.operands["lhs"], op.operands["rhs"]
    if not made_by(lhs, "constant") or made_by(rhs, "constant"):
        return None
    op.operands["lhs"], op.operands["rhs"] = rhs, lhs
    if op.name == "cmpi":
        relation = op.attributes["comparison_predicate"]
        op.attributes["comparison_predicate"] = MIRRORED[relation]
    return EDITED


def regrouped(op: Op) -> Outcome:
    """(x + 1) + 2 is x + 3, as long as none of them promises not to wrap."""
    inner = made_by(op.operands["lhs"], op.name)
    if inner is None or integer(op.result) is None:
        return None
    if {op.attributes.get("overflow", "none"), inner.attributes.get("overflow", "none")} != {
        "none"
    }:
        return None
    first, second = pattern(inner.operands["rhs"]), pattern(op.operands["rhs"])
    if first is None or second is None:
        return None
    both = (INTEGERS | BITWISE)[op.name](op, first, second)
    number = None if both is None else constant(op.result.type, [both])
    if number is None:
        return None
    op.operands["lhs"] = inner.operands["lhs"]
    op.operands["rhs"] = constant_before(op, number)
    return EDITED


# Inverses and repetitions -------------------------------------------------------------------------


def undone(op: Op) -> Outcome:
    """-(-x) is x, for integers and for floats, whose sign bit is flipped twice."""
    inner = made_by(op.operands["source"], op.name)
    return None if inner is None else inner.operands["source"]


def without_sign(op: Op) -> Outcome:
    """abs(abs(x)) and abs(-x) of floats are abs(x): the sign bit is cleared."""
    source = op.operands["source"]
    if made_by(source, "absf"):
        return source
    inner = made_by(source, "negf")
    if inner is None:
        return None
    op.operands["source"] = inner.operands["source"]
    return EDITED


def narrowed_again(op: Op) -> Outcome:
    """Of a number that was widened, the low bits are the number; narrowing twice is once."""
    source = op.operands["from"]
    wide, narrow = made_by(source, "exti"), made_by(source, "trunci")
    if wide is not None and wide.operands["from"].type == op.result.type:
        return wide.operands["from"]
    if narrow is None or {each.attributes["overflow"] for each in (op, narrow)} != {"none"}:
        return None
    op.operands["from"] = narrow.operands["from"]
    return EDITED


def widened_again(op: Op) -> Outcome:
    """Widening twice in the same way is once."""
    inner = made_by(op.operands["from"], "exti")
    if inner is None or inner.attributes["signedness"] != op.attributes["signedness"]:
        return None
    op.operands["from"] = inner.operands["from"]
    return EDITED


INVERSES = {"int_to_ptr": "ptr_to_int", "ptr_to_int": "int_to_ptr", "pack": "unpack"}
"""Op -> the one that it undoes."""


def there_and_back(op: Op) -> Outcome:
    """An address as a number as an address, bytes as elements as bytes: the same bits.

    Of four bytes, tf32 has only some bits.
    """
    between: Value = op.operands["source"]
    inner = made_by(between, INVERSES[op.name])
    if inner is None or inner.operands["source"].type != op.result.type:
        return None
    if str(getattr(between.type, "element", "")) == "tf32":
        return None
    return inner.operands["source"]


# Shapes and bits ----------------------------------------------------------------------------------


def same_type(op: Op) -> Outcome:
    """A tile reshaped, broadcast or cast to the type that it has is the tile itself."""
    source: Value = op.operands["source"]
    return source if source.type == op.result.type else None


def in_one_step(op: Op) -> Outcome:
    """A reshape of a reshape, a broadcast of a broadcast, a cast of a cast is one of the first."""
    inner = made_by(op.operands["source"], op.name)
    if inner is None:
        return None
    op.operands["source"] = inner.operands["source"]
    return EDITED


def not_permuted(op: Op) -> Outcome:
    """A permutation that leaves all dimensions where they are is none."""
    permutation = list(op.attributes["permutation"])
    return op.operands["source"] if permutation == sorted(permutation) else None


def permuted_once(op: Op) -> Outcome:
    """Two permutations are one."""
    inner = made_by(op.operands["source"], "permute")
    if inner is None:
        return None
    first, second = inner.attributes["permutation"], op.attributes["permutation"]
    composed = [first[dim] for dim in second]
    op.operands["source"] = inner.operands["source"]
    op.attributes["permutation"] = type(second)(composed)
    return EDITED


def whole(op: Op) -> Outcome:
    """The only slice of a tile is the tile; another index is undefined."""
    source: Value = op.operands["source"]
    return source if source.type == op.result.type else None


# Choices and addresses ----------------------------------------------------------------------------


def chosen(op: Op) -> Outcome:
    """Of two tiles that are the same, or by a condition that is known, one is chosen."""
    yes, no = op.operands["val_if_true"], op.operands["val_if_false"]
    condition = pattern(op.operands["cond"])
    if yes is no or condition == 1:
        return yes
    return no if condition == 0 else None


def not_moved(op: Op) -> Outcome:
    """A pointer moved by no elements is the pointer."""
    return op.operands["ptr"] if pattern(op.operands["offset"]) == 0 else None
