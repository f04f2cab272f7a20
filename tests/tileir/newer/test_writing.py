"""What may be changed in files of version 13.6: what is known, in its place; the rest stays."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import tileir
from tests.corpus import FIXTURES
from tileir import BuildError, Bytecode
from tileir.attributes import Hints
from tileir.ir import Op
from tileir.read.function import Function

from .made_up import ASSUMED, HINTED, KNOWN, TWISTED, stated, steps, whole

GLOBALS = FIXTURES / "13.5" / "module_globals.tileirbc"
OPAQUE = "cannot be changed: expected a known opcode, found 200"


def negate(function: Function) -> None:
    """Make the absolute value of the known kernel a negated number: one op for another."""
    old = function.ops[0]
    spec = next(op.spec for op in other_ops() if op.name == "negf")
    new = Op(spec, dict(old.operands), {}, [])
    new.add_result(old.result.type)
    new.insert_before(old)
    old.result.replace_all_uses_with(new.result)
    old.erase()


def other_ops() -> list[Op]:
    return [*Bytecode.parse(whole(ASSUMED)).functions[0].walk()]


def test_a_known_function_is_edited_beside_opaque_ones() -> None:
    data = whole(TWISTED, KNOWN, ASSUMED)
    bytecode = Bytecode.parse(data).touch()
    negate(bytecode.function(KNOWN))
    built = bytecode.build()
    assert built != data
    again = Bytecode.parse(built)
    assert again.version == (13, 6)
    assert [op.name for op in again.function(KNOWN).walk()] == ["negf", "return"]
    before = Bytecode.parse(data)
    for name in (TWISTED, ASSUMED):
        assert bytes(again.function(name).code.data) == bytes(before.function(name).code.data)
    unknown = [section for section in again.sections if section.name == "Section 8"]
    assert [bytes(section.payload.data) for section in unknown] == [b"\x02\x05\x06"]


def test_entries_of_known_functions_are_edited_and_nothing_is_emptied() -> None:
    """What is opaque may refer to any string, so the old name stays in the table."""
    bytecode = Bytecode.parse(whole(TWISTED, KNOWN))
    bytecode.function(KNOWN).name = "renamed"
    bytecode.producer = "a test"
    again = Bytecode.parse(bytecode.build())
    assert [function.name for function in again.functions] == [TWISTED, "renamed"]
    assert again.producer == "a test"
    assert KNOWN in list(again.strings)


def test_functions_may_be_added_behind_the_others() -> None:
    bytecode = Bytecode.parse(whole(TWISTED, KNOWN))
    bytecode.functions.append(bytecode.function(KNOWN).clone("copy"))
    again = Bytecode.parse(bytecode.build())
    assert [function.name for function in again.functions] == [TWISTED, KNOWN, "copy"]


def rename(function: Function) -> None:
    function.name = "other"


def hint(function: Function) -> None:
    function.hints = Hints({"sm_90": {"occupancy": 2}})


def privatise(function: Function) -> None:
    function.private = True


def drop_the_last_known_op(function: Function) -> None:
    function.ops.pop()


def exchange_operands(function: Function) -> None:
    op = function.ops[0]
    op.operands["source"] = function.parameters[0]


@pytest.mark.parametrize(
    "edit", [rename, hint, privatise, drop_the_last_known_op, exchange_operands, negate]
)
def test_edits_of_opaque_functions_are_refused(edit: Callable[[Function], None]) -> None:
    bytecode = Bytecode.parse(whole(TWISTED, KNOWN))
    edit(bytecode.function(TWISTED))
    for check in (True, False):
        with pytest.raises(BuildError, match=f"function twisted {OPAQUE}"):
            bytecode.build(check)


def test_what_is_opaque_may_refer_to_what_is_moved_or_removed() -> None:
    def rearranged(change: Callable[[list], object]) -> Bytecode:
        bytecode = Bytecode.parse(whole(TWISTED, KNOWN))
        change(bytecode.functions)
        return bytecode

    for change in (lambda fs: fs.pop(), lambda fs: fs.reverse(), lambda fs: fs.pop(0)):
        with pytest.raises(BuildError, match=r"functions of a file of version 13\.6 keep their"):
            rearranged(change).build()
    with pytest.raises(BuildError, match="has another one of that name"):
        rearranged(lambda fs: fs.append(fs[1])).build()
    with pytest.raises(BuildError, match=f"function copy {OPAQUE}"):
        rearranged(lambda fs: fs.append(fs[0].clone("copy"))).build()
    bytecode = Bytecode.parse(stated(GLOBALS.read_bytes()))
    bytecode.globals.pop()
    with pytest.raises(BuildError, match="the globals of a file of version"):
        bytecode.build()


def test_an_opaque_function_cannot_be_put_into_another_module() -> None:
    other = tileir.load(GLOBALS)
    other.functions.append(Bytecode.parse(whole(TWISTED)).functions[0])
    with pytest.raises(BuildError, match=f"function twisted {OPAQUE}"):
        other.build()


def test_a_section_with_something_unknown_is_not_written_anew() -> None:
    bytecode = Bytecode.parse(whole(KNOWN, HINTED))
    negate(bytecode.functions[0])
    with pytest.raises(BuildError, match="the Func section cannot be changed: expected a known"):
        bytecode.build()
    bytecode = Bytecode.parse(steps()["layout of a record"])
    bytecode.globals.append(bytecode.globals[0])
    with pytest.raises(BuildError, match="the globals of a file"):
        bytecode.build()


def test_other_forms_are_refused() -> None:
    bytecode = Bytecode.parse(whole(KNOWN))
    for write in (lambda: bytecode.build(compact=True), lambda: bytecode.to_version("13.4")):
        with pytest.raises(BuildError, match=re.escape("version 13.6 is newer than 13.5")):
            write()


def test_an_assumed_version_lifts_all_that() -> None:
    data = stated((FIXTURES / "13.5" / "two_entries.tileirbc").read_bytes())
    bytecode = Bytecode.parse(data, assume_version="13.5")
    bytecode.functions.pop()
    built = bytecode.build()
    assert built[8:10] == bytes((13, 6))
    assert len(Bytecode.parse(built, assume_version="13.5").functions) == 1
    assert Bytecode.parse(bytecode.build(compact=True)).version == (13, 5)
    assert bytecode.to_version("13.4").version == (13, 4)
