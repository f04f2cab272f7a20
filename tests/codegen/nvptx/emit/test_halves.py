"""Arithmetic and extremes of f16 and bf16 by PTX's instructions, against the host target."""

from __future__ import annotations

import numpy as np
import pytest

from tests.codegen.build import Kernel
from tests.codegen.nvptx.on_emulator import launch, run
from tests.codegen.reference import DTYPES, NEAREST, same, special
from tileir.attributes import DivBy
from tileir.codegen import compile

SIZE = 4096
OPS = {
    "addf": NEAREST, "subf": NEAREST, "mulf": NEAREST, "fma": NEAREST,
    "maxf": {"propagate_nan": False}, "minf": {"propagate_nan": True},
}  # fmt: skip


def kernel(name: str, element: str, aligned: bool):
    """The op on arrays. Of aligned ones a thread has neighbours, of others every 128th element."""
    count = 3 if name == "fma" else 2
    kernel = Kernel("apply", *[f"ptr<{element}>"] * (count + 1))
    views = []
    for pointer in kernel.parameters:
        if aligned:
            predicate = DivBy(16)
            pointer = kernel.op("assume", pointer, results=[f"ptr<{element}>"], predicate=predicate)
        views.append(kernel.view(pointer, [SIZE], [SIZE]))
    loaded = [kernel.load(view, *kernel.zeros(1)) for view in views[:-1]]
    result = kernel.op(name, *loaded, results=[f"{SIZE}x{element}"], **OPS[name])
    kernel.store(result, views[-1], *kernel.zeros(1))
    return kernel.module()


def operands(element: str, count: int) -> list[np.ndarray]:
    """All pairs of special values, then numbers whose sums cancel and whose products are small."""
    few = special(element)
    random = np.random.default_rng(6)
    arrays = [np.tile(few, len(few)), np.repeat(few, len(few)), np.tile(few, len(few))[::-1]]
    more = [
        (random.standard_normal(SIZE) * np.exp2(random.integers(-9, 9, SIZE))).astype(few.dtype)
        for _ in arrays
    ]
    more[1][::3] = -more[0][::3] * few.dtype.type(1.01)
    more[2][::2] = -more[0][::2] * more[1][::2]
    both = zip(arrays, more, strict=True)
    return [np.concatenate(parts)[:SIZE] for parts in both][:count]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", OPS)
@np.errstate(all="ignore")
def test_halves_are_those_of_the_host(name: str, element: str, named) -> None:
    """Code that another GPU has too is run once."""
    arrays = operands(element, 3 if name == "fma" else 2)
    expected = np.zeros(SIZE, DTYPES[element])
    compile(kernel(name, element, False))["apply"].launch(1, [*arrays, expected])
    for aligned in (False, True):
        seen: set[str] = set()
        for target in ("sm_75", "sm_80", "sm_90"):
            with named(f"{target}{', aligned' if aligned else ''}"):
                compiled = compile(kernel(name, element, aligned), target)
                code = compiled.ptx.partition(".address_size")[2]
                if code not in seen:
                    seen.add(code)
                    found = np.zeros_like(expected)
                    run(compiled, "apply", 1, [*arrays, found])
                    same(found.astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", OPS)
def test_neighbours_share_an_instruction(name: str, element: str) -> None:
    each = SIZE // 128
    for aligned, kind, count in ((True, f"{element}x2", each // 2), (False, element, each)):
        ptx = compile(kernel(name, element, aligned), "sm_80").ptx
        lines = [line.split()[0] for line in ptx.splitlines() if line.strip()]
        assert sum(line.endswith(f".{kind}") and "cvt" not in line for line in lines) == count
        assert not any(line.startswith("cvt") for line in lines)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", [None, "addf", "maxf"])
def test_one_element_beside_itself(name: str | None, element: str, before: bool) -> None:
    """Rows of one number each are stored, or meet another tile; the emulator knows what is read
    without having been written."""
    kernel, shape = Kernel("apply", *[f"ptr<{element}>"] * 3), [64, 64]
    column, other, target = (
        kernel.op("assume", pointer, results=[f"ptr<{element}>"], predicate=DivBy(16))
        for pointer in kernel.parameters
    )
    zeros = kernel.zeros(2)
    loaded = kernel.load(kernel.view(column, [64], [64]), zeros[0])
    if before:
        loaded = kernel.op("addf", loaded, loaded, results=[f"64x{element}"], **OPS["addf"])
    standing = kernel.op("reshape", loaded, results=[f"64x1x{element}"])
    result = kernel.op("broadcast", standing, results=[f"64x64x{element}"])
    if name:
        more = kernel.load(kernel.view(other, shape, shape), *zeros)
        result = kernel.op(name, result, more, results=[f"64x64x{element}"], **OPS[name])
    kernel.store(result, kernel.view(target, shape, shape), *zeros)
    module = kernel.module()
    random = np.random.default_rng(3)
    arrays = [random.standard_normal(size).astype(DTYPES[element]) for size in (64, 4096)]
    expected, found = np.zeros((2, 4096), DTYPES[element])
    compile(module)["apply"].launch(1, [*arrays, expected])
    launch(module, "apply", 1, [*arrays, found])
    same(found.astype(np.float32), expected.astype(np.float32))
