"""The coefficients are as good as the comments beside them say."""

from __future__ import annotations

import inspect
import re

import pytest

from tileir.codegen.scalar.math.binary import DOUBLE, SINGLE

from .fits import FITS, coefficients, error


@pytest.mark.parametrize("name", FITS)
def test_errors_are_what_comments_say(name: str) -> None:
    source = inspect.getsource(FITS[name].module)
    comment = re.search(rf"((?:# .*\n)+){name}: Coefficients", source)[1]
    stated = [float(number) for number in re.findall(r"2\^(-\d+\.\d)", comment)]
    table = getattr(FITS[name].module, name)
    found = [error(name, table[form], form) for form in (SINGLE, DOUBLE)]
    assert found == pytest.approx(stated, abs=0.15)


def test_coefficients_are_found_again() -> None:
    table = FITS["SIN"].module.SIN
    assert coefficients("SIN", DOUBLE, len(table[DOUBLE])) == pytest.approx(table[DOUBLE], rel=1e-3)
