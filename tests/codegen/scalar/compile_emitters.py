"""Compiles emitters for a target and prints what calls a function: python -m ... TARGET EVERY.

EVERY is 1 for all ops, n for one in n.

Run as a process of its own, because LLVM aborts on what a back end cannot select.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice

from llvmlite import ir

from tileir.codegen import llvm as backend
from tileir.codegen.scalar.machine import PORTABLE, Machine
from tileir.ir import Op

from .emitters import FLOATS, loop, operation

ARM = Machine(half_conversions=True, fused=True)
TARGETS = {
    "nvptx": ("nvptx64-nvidia-cuda", "sm_75", "+ptx63", Machine.nvptx()),
    "x86": ("x86_64-unknown-linux-gnu", "x86-64", "", PORTABLE),
    "arm": ("aarch64-unknown-linux-gnu", "generic", "", ARM),
}
"""Triple, CPU, features, and what we hold it to be."""
CALL = re.compile(r"\s(?:call\S*|bl)\s+(.*)")

NUMBERS = [*FLOATS, "tf32"]
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")
ARITHMETIC = {"addf": 2, "mulf": 2, "divf": 2, "fma": 3}


def operations() -> Iterator[Op]:
    """Every op that has a rounding mode or is more than an instruction, on a choice of types."""
    for place, source in enumerate(NUMBERS):
        for target in NUMBERS[place % 3 :: 3]:
            mode = "zero" if place % 2 or target == "f8E8M0FNU" else "nearest_even"
            if source != target:
                yield operation("ftof", [source], target, rounding_mode=mode)
        for signedness, target in (("signed", "i64"), ("unsigned", "i1"), ("unsigned", "i16")):
            attributes = {"signedness": signedness, "rounding_mode": "nearest_int_to_zero"}
            yield operation("ftoi", [source], target, saturating=True, **attributes)
            if source != "f8E8M0FNU":
                attributes["rounding_mode"] = "nearest_even"
                yield operation("itof", [target], source, **attributes)
    for element in ("bf16", "f16", "f32", "f64"):
        for mode in MODES:
            for name, arity in ARITHMETIC.items():
                yield operation(
                    name, [element] * arity, element, rounding_mode=mode, flush_to_zero=False
                )
    for element in INTEGERS:
        yield operation("mulhii", [element] * 2, element)
        for signedness in ("signed", "unsigned"):
            for name in ("cmpi", "maxi", "shri", "remi", "divi"):
                more = {"rounding": "positive_inf"} if name == "divi" else {}
                more |= {"comparison_predicate": "less_than"} if name == "cmpi" else {}
                result = "i1" if name == "cmpi" else element
                yield operation(name, [element] * 2, result, signedness=signedness, **more)
    for narrow, wide in (("i1", "i4"), ("i4", "i8"), ("i4", "i64")):
        yield operation("exti", [narrow], wide, signedness="signed")
        yield operation("trunci", [wide], narrow, overflow="none")


def main(target: str, every: int) -> None:
    """Print the callees of each op that has any, of one op in so many."""
    backend.start("all")
    triple, cpu, features, machine = TARGETS[target]
    for op in islice(operations(), [*TARGETS].index(target) % every, None, every):
        module = ir.Module("emitted")
        module.machine = machine
        loop(module, "apply", op)
        code = backend.target_machine(triple, cpu, features)
        parsed = backend.parse(module)
        backend.optimize(parsed, code, speed_level=1)
        callees = sorted(set(CALL.findall(code.emit_assembly(parsed))))
        if callees:
            print(op.name, op.result.type.element, *callees)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
