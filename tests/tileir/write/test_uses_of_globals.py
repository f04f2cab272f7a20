"""A get_global names a global that is there: whoever takes one away is told who needs it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.corpus import FIXTURES
from tileir import BuildError, Bytecode, verify
from tileir.builder import Module
from tileir.ir import Op
from tileir.ir.constants import to_constant

MISSING = r"function {}: body\[\d+\]: get_global: '{}' does not reference a valid global"


def module_globals() -> Bytecode:
    """A fixture whose only function uses its globals."""
    return Bytecode.parse((FIXTURES / "13.5" / "module_globals.tileirbc").read_bytes())


def uses(bytecode: Bytecode) -> list[Op]:
    """Its ops that use a global."""
    return [op for op in bytecode.functions[0].walk() if op.name == "get_global"]


def named(name: str) -> str:
    """The message that a global is missing."""
    return MISSING.format("module_globals", name)


def test_a_name_that_no_global_has() -> None:
    bytecode = module_globals()
    uses(bytecode)[0].attributes["name"] = "nowhere"
    for compact in (False, True):
        with pytest.raises(BuildError, match=named("nowhere")):
            bytecode.build(compact=compact)
        found = Bytecode.parse(bytecode.build(check=False, compact=compact))
        assert "get-global" in [each.kind for each in verify(found)]


@pytest.mark.parametrize("decoded", [False, True])
@pytest.mark.parametrize("compact", [False, True])
def test_a_global_that_an_untouched_function_uses(decoded: bool, compact: bool) -> None:
    bytecode = module_globals()
    name = uses(module_globals())[0].attributes["name"]
    if decoded:
        _ = bytecode.functions[0].body
    kept = list(bytecode.globals)
    bytecode.globals[:] = [variable for variable in kept if variable.name != name]
    with pytest.raises(BuildError, match=named(name)):
        bytecode.build(compact=compact)
    assert bytecode.build(check=False, compact=compact)
    assert bytecode.functions[0].decoded == decoded
    bytecode.globals[:] = kept
    assert bytecode.build() == bytecode.data


def test_a_global_of_another_type() -> None:
    bytecode = module_globals()
    names = [op.attributes["name"] for op in uses(module_globals())]
    for index, variable in enumerate(bytecode.globals):
        if variable.name in names:
            value = to_constant(np.zeros(4, np.int8))
            bytecode.globals[index] = dataclasses.replace(variable, type=value.type, value=value)
    with pytest.raises(
        BuildError, match=r"get_global: pointee type of result type .* does not match"
    ):
        bytecode.build()


def test_globals_that_nobody_uses_may_go_and_others_may_come() -> None:
    bytecode = module_globals()
    used = {op.attributes["name"] for op in uses(module_globals())}
    extra = Module("13.5").global_("extra", np.zeros(4))
    bytecode.globals.append(extra)
    again = Bytecode.parse(bytecode.build())
    again.globals.remove(next(each for each in again.globals if each.name not in used))
    assert len(Bytecode.parse(again.build()).globals) == len(again.globals)


def test_a_use_that_the_file_has_wrong_may_stay() -> None:
    bytecode = module_globals()
    uses(bytecode)[0].attributes["name"] = "nowhere"
    wrong = Bytecode.parse(bytecode.build(check=False))
    wrong.functions[0].location = None
    for op in wrong.functions[0].walk():
        op.location = None
    assert wrong.build()
    uses(wrong)[0].attributes["name"] = "elsewhere"
    with pytest.raises(BuildError, match=named("elsewhere")):
        wrong.build()


def test_functions_of_other_files_bring_no_globals_along() -> None:
    bytecode = Bytecode.parse((FIXTURES / "13.5" / "vector_add.tileirbc").read_bytes())
    other = module_globals()
    bytecode.functions += other.functions
    with pytest.raises(BuildError, match=r"get_global: .* does not reference a valid global"):
        bytecode.build()
    bytecode.globals += other.globals
    assert verify(Bytecode.parse(bytecode.build())) == verify(module_globals())


def test_kernels_of_the_builder_need_the_globals_of_the_file() -> None:
    module = Module("13.5")
    module.global_("sines", np.zeros(4, np.float32))
    kernel = module.function("built", [])
    kernel.get_global(name="sines", result="ptr<f32>")
    kernel.return_()
    assert module.build()
    bytecode = module_globals()
    bytecode.functions.append(kernel)
    with pytest.raises(BuildError, match=MISSING.format("built", "sines")):
        bytecode.build()
    bytecode.globals += module.globals
    assert bytecode.build()
