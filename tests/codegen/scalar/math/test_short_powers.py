"""Powers with constant exponents: as exact as promised, on the CPU and for a GPU, and short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.codegen.build import Kernel, Module
from tests.codegen.reference import DTYPES, same
from tileir.codegen import compile, emulator
from tileir.codegen.ops.powers import COSTS, SHORT_POWERS, Step
from tileir.codegen.scalar.math.short_powers import STEPS
from tileir.ir.constants import Constant, to_constant
from tileir.types import Scalar, Tile

from .measure import ELEMENTS, Measured, compare
from .samples import unary

pytestmark = pytest.mark.usefixtures("quiet")

SIZE = 1024
ONCE = (-1.0, 0.5, 2.0)
"""Exponents of powers that are rounded once."""
TWICE = 1.92
"""Units in the last place that others err by at most, in f32 and f64."""
OCTAVES = {"f16": 15, "bf16": 127, "f32": 127, "f64": 1023}


def powers(
    element: str, exponents: Sequence[Constant], name: str = "fpowf", size: int = SIZE
) -> Module:
    """A kernel that raises an array to each of these powers, into an array each."""
    kernel = Kernel("apply", *[f"ptr<{element}>"] * (len(exponents) + 1))
    zero = kernel.zeros(1)
    source, *results = kernel.parameters
    base = kernel.load(kernel.view(source, [size], [size]), *zero)
    for value, result in zip(exponents, results, strict=True):
        exponent = kernel.op("constant", results=[value.type], value=value)
        made = kernel.op(name, base, exponent, results=[base.type])
        kernel.store(made, kernel.view(result, [size], [size]), *zero)
    return kernel.module()


def splats(element: str, exponents: Sequence[float], size: int = SIZE) -> list[Constant]:
    """Constants whose elements are all alike."""
    kind = Tile(Scalar(element), (size,))
    return [to_constant([number] * size, kind) for number in exponents]


def bases(element: str, exponents: Sequence[float], seed: int = 1) -> np.ndarray:
    """Special values, any bits, moderate numbers, and those whose powers are near the limits."""
    random = np.random.default_rng(seed)
    usual = unary("fpowf", element, SIZE // 4, seed)[0]
    whole = np.resize(np.array([e for e in exponents if e]), SIZE - len(usual))
    spread = random.uniform(-1.1, 1.01, len(whole))
    with np.errstate(all="ignore"):
        reach = np.exp2(np.clip(spread * OCTAVES[element] / whole, -1074, 1023.9))
        near = (reach * random.choice([-1, 1], len(whole))).astype(DTYPES[element])
    return np.concatenate([usual, near])


def raised(element: str, exponents: Sequence[float], target: str = "") -> list[Measured]:
    """What was found of each power."""
    base = bases(element, exponents)
    found = [np.zeros_like(base) for _ in exponents]
    module = powers(element, splats(element, exponents))
    if target:
        kernels = compile(module, target)
        arrays = [base, *found]
        emulator.launch(kernels.ptx, kernels.plan["apply"], 1, arrays, races=False)
    else:
        compile(module)["apply"].launch(1, [base, *found])
    kinds = (element, element)
    return [
        compare("fpowf", kinds, [base, np.full_like(base, exponent)], result)
        for exponent, result in zip(exponents, found, strict=True)
    ]


def test_each_step_has_a_cost_and_a_function() -> None:
    assert {*COSTS} == {*STEPS} == {*Step}


@pytest.mark.parametrize("target", ["", "sm_90"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_errors_are_bounded(element: str, target: str) -> None:
    for exponent, found in zip(SHORT_POWERS, raised(element, [*SHORT_POWERS], target), strict=True):
        once, twice = (0.501, 0.501) if element in ("f16", "bf16") else (0.5, TWICE)
        exact = exponent in (0.0, 1.0)
        assert not found.wrong, found
        assert found.error <= (0 if exact else once if exponent in ONCE else twice), found


def test_a_wrong_function_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inverse of a square that overflows, and a root that keeps the sign of zero."""
    monkeypatch.setitem(SHORT_POWERS, -2.0, (Step.SQUARE, Step.INVERSE))
    monkeypatch.setitem(STEPS, Step.ROOT, lambda x, base: x.call("llvm.sqrt"))
    inverse, root = raised("f32", [-2.0, 0.5])
    assert inverse.error > TWICE
    assert {base for base, *_ in root.wrong} == {0.0, -np.inf}


@pytest.mark.parametrize("kind", ["i1", "i8", "i32"])
def test_integers_are_exponents_as_well(kind: str) -> None:
    numbers = [-1.0, 0.0] if kind == "i1" else [e for e in SHORT_POWERS if e == int(e)]
    base = bases("f32", numbers)
    both = []
    for name, element in (("fpowi", kind), ("fpowf", "f32")):
        found = [np.zeros_like(base) for _ in numbers]
        exponents = [abs(e) if element == "i1" else e for e in numbers]
        constants = splats(element, [e if element == "f32" else int(e) for e in exponents])
        compile(powers("f32", constants, name))["apply"].launch(1, [base, *found])
        both.append(found)
    for left, right in zip(*both, strict=True):
        same(left, right)


def test_different_exponents_are_not_taken_for_one() -> None:
    base = bases("f32", [2.0])
    exponents = np.resize([2.0, 3.0, 2.0, 5.0], SIZE)
    found = np.zeros_like(base)
    constant = to_constant(exponents.tolist(), Tile(Scalar("f32"), (SIZE,)))
    compile(powers("f32", [constant]))["apply"].launch(1, [base, found])
    result = compare("fpowf", ("f32", "f32"), [base, exponents.astype(np.float32)], found)
    assert result.good


def test_the_code_is_short() -> None:
    """Two of the hundreds of instructions of a power are those of x^3; x^5 has all of them."""
    lines = {}
    for exponent in (1.0, 2.0, 3.0, 5.0):
        text = compile(powers("f32", splats("f32", [exponent], 128), size=128), "sm_90").ptx
        lines[exponent] = text.count(";")
    assert lines[2.0] == lines[1.0] + 1
    assert lines[3.0] == lines[1.0] + 2
    assert lines[5.0] > lines[1.0] + 50
