"""What ops on whole numbers compute in random runs is what constants are folded to."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.tileir.rewrite.test_folding import FOLDS, numbers, ops
from tileir.codegen.advise.random_runs.elements import (
    CONVERSIONS,
    INTEGERS,
    from_whole,
    whole,
    wrapped,
)
from tileir.ir.floats import value_of

WHOLE = sorted({*INTEGERS, *CONVERSIONS, "itof"} & {*FOLDS} - {"cmpf", "ftoi"})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name: str) -> None:
    asked = 0
    for op in ops(name):
        elements = [value.type.element for value in op.operand_list()]
        result = op.result.type.element
        for row in product(*(numbers(element, True) for element in elements)):
            bits = FOLDS[name](op, *row)
            if bits is None:
                continue
            given = [
                wrapped(np.array([each], np.uint64).view(np.int64), element.bits)
                for each, element in zip(row, elements, strict=True)
            ]
            if name == "itof":
                assert from_whole(op, *given)[0] == value_of(result.name, bits)
            else:
                made = whole(op, given) if name in INTEGERS else CONVERSIONS[name](op, *given)
                assert int(wrapped(made, result.bits)[0]) % 2**result.bits == bits, (op, row)
            asked += 1
    assert asked > 9
