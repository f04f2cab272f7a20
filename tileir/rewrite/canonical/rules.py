"""The rules of canonical forms: a row each, with the reason why it is exact.

Those of an op are tried in this order. Floats are only computed with where no rounding is
involved, and where NaN keeps its bits: x + 0.0 and x * 1.0 stay, which may quieten a NaN.
"""

from __future__ import annotations

from collections.abc import Callable

from tileir.ir import Op

from . import identities as same
from . import tiles
from .arithmetic import BITWISE, FLOATS, INTEGERS, Fold
from .conversions import CONVERSIONS
from .elements import integer, patterns
from .rule import Outcome, Rule

COMMUTATIVE = ("addi", "muli", "andi", "ori", "xori", "maxi", "mini")
BITS = ("andi", "ori", "xori")


def _of_elements(folds: dict[str, Fold], of_numbers: bool = False) -> Callable[[Op], Outcome]:
    """Return the function that computes an op on constants, element by element."""

    def fold(op: Op) -> Outcome:
        if of_numbers and integer(next(iter(op.operand_list()))) is None:
            return None
        elements = []
        for operand in op.operand_list():
            bits = patterns(operand)
            if bits is None:
                return None
            elements.append(bits)
        return tiles.computed(op, elements, folds[op.name])

    return fold


RULES = (
    Rule(
        "compute-integers",
        tuple(INTEGERS),
        "compute integers of a byte or more",
        "in Python's integers, wrapped as the op says; nothing if the op would be undefined",
        _of_elements(INTEGERS, of_numbers=True),
    ),
    Rule(
        "compute-bits",
        tuple(BITWISE),
        "compute bits, and choose between constants",
        "on the bit patterns",
        _of_elements(BITWISE),
    ),
    Rule(
        "compute-floats",
        tuple(FLOATS),
        "compute floats whose result is not rounded",
        "then it is the same in all rounding modes; signs are bits",
        _of_elements(FLOATS),
    ),
    Rule(
        "compute-conversions",
        tuple(CONVERSIONS),
        "convert constants to types that have their numbers",
        "the same number, or the same bits",
        _of_elements(CONVERSIONS),
    ),
    Rule(
        "move-constants",
        ("reshape",),
        "reshape constants",
        "elements keep their order",
        tiles.reshaped,
    ),
    Rule(
        "move-constants",
        ("broadcast",),
        "broadcast constants",
        "elements are only copied",
        tiles.broadcast,
    ),
    Rule(
        "move-constants",
        ("permute",),
        "permute constants",
        "elements are only copied",
        tiles.permuted,
    ),
    Rule(
        "move-constants",
        ("extract",),
        "take slices of constants",
        "elements are only copied; an index out of range stays",
        tiles.extracted,
    ),
    Rule(
        "move-constants", ("cat",), "join equal constants", "all elements are alike", tiles.joined
    ),
    Rule(
        "constant-right",
        (*COMMUTATIVE, "cmpi"),
        "put constants to the right",
        "integer ops commute, and relations have mirror images",
        same.constant_to_the_right,
    ),
    Rule(
        "neutral",
        (*same.NEUTRAL, "andi"),
        "x + 0, x - 0, x * 1, x / 1, x & -1, x | 0, x ^ 0, x << 0, x >> 0 are x",
        "in two's complement, whatever x is",
        same.neutral,
    ),
    Rule(
        "absorbed",
        ("muli", "andi", "ori", "remi"),
        "x * 0, x & 0, x % 1 are 0, x | -1 is -1",
        "in two's complement, whatever x is",
        same.absorbed,
    ),
    Rule(
        "same-operands",
        ("subi", "xori", "andi", "ori", "maxi", "mini"),
        "x - x, x ^ x are 0; x & x, x | x, max(x, x), min(x, x) are x",
        "in two's complement, whatever x is",
        same.same_operands,
    ),
    Rule(
        "compared-with-itself",
        ("cmpi",),
        "x == x, x <= x, x >= x hold, the others do not",
        "an integer equals itself",
        same.compared_with_itself,
    ),
    Rule(
        "regrouped",
        ("addi", "muli", "andi", "ori", "xori"),
        "(x + 1) + 2 is x + 3",
        "integer ops that may wrap are associative; not where one promises that it does not",
        same.regrouped,
    ),
    Rule("undone", ("negi", "negf"), "-(-x) is x", "also of NaN: a bit is flipped", same.undone),
    Rule(
        "without-sign",
        ("absf",),
        "abs(abs(x)), abs(-x) are abs(x)",
        "also of NaN: a bit is cleared",
        same.without_sign,
    ),
    Rule(
        "narrowed-again",
        ("trunci",),
        "narrow what was widened, or narrow twice",
        "low bits are kept by both; promises must not be lost",
        same.narrowed_again,
    ),
    Rule(
        "widened-again",
        ("exti",),
        "widen twice in the same way",
        "the upper bits are all zeros, or all the sign",
        same.widened_again,
    ),
    Rule(
        "there-and-back",
        tuple(same.INVERSES),
        "an address as a number as an address; bytes as elements as bytes",
        "the same bits",
        same.there_and_back,
    ),
    Rule(
        "same-type",
        ("reshape", "broadcast", "bitcast", "ptr_to_ptr"),
        "reshape, broadcast or cast to the same type",
        "nothing is changed",
        same.same_type,
    ),
    Rule(
        "one-step",
        ("reshape", "broadcast", "bitcast", "ptr_to_ptr"),
        "reshape, broadcast or cast twice",
        "only the last type counts",
        same.in_one_step,
    ),
    Rule(
        "not-permuted",
        ("permute",),
        "a permutation that changes nothing",
        "every dimension stays in its place",
        same.not_permuted,
    ),
    Rule(
        "permuted-once",
        ("permute",),
        "permute twice",
        "permutations can be composed",
        same.permuted_once,
    ),
    Rule("whole", ("extract",), "the only slice of a tile", "it is the tile", same.whole),
    Rule(
        "chosen",
        ("select",),
        "select with a known condition, or of one tile",
        "the other one does not matter",
        same.chosen,
    ),
    Rule("not-moved", ("offset",), "move pointers by 0", "addresses stay", same.not_moved),
)

BY_OP: dict[str, list[Rule]] = {}
"""Op -> its rules, in order."""
for _rule in RULES:
    for _name in _rule.ops:
        BY_OP.setdefault(_name, []).append(_rule)
