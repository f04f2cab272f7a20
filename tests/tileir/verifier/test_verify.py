"""`verify` as a whole: all is collected, consequences are not, nothing is said twice."""

from __future__ import annotations

from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.formats.bombs import module as bomb
from tests.formats.bombs import nested_ifs
from tests.tileir.every_op import ones
from tileir import BuildError, Bytecode, BytecodeError, UnsupportedError, VerifyError, verify
from tileir.builder import Module, number
from tileir.builder.kernel import Kernel
from tileir.ir import Op
from tileir.types import Scalar, Tile
from tileir.verifier.module import check

from .unchecked import write


def built(fill, version: str = "13.5", parameters: tuple[str, ...] = ("ptr<f32>", "i32", "i1")):
    """A module with one kernel."""
    module = Module(version)
    kernel = module.function("main", parameters)
    fill(kernel)
    kernel.return_()
    return module.bytecode()


def ops(bytecode: Bytecode, name: str) -> list[Op]:
    """The ops of that name, in pre-order."""
    return [op for function in bytecode.functions for op in function.walk() if op.name == name]


def rules(bytecode: Bytecode, **more) -> list[str]:
    """The ids of the rules that are broken."""
    return [finding.rule for finding in verify(bytecode, **more)]


def twenty(kernel: Kernel) -> None:
    for _ in range(20):
        kernel.addf(ones(kernel, "f32"), ones(kernel, "f32"))


def test_twenty_mistakes_are_twenty_findings() -> None:
    bytecode = built(twenty)
    for op in ops(bytecode, "addf"):
        op.attributes["rounding_mode"] = "approx"
    again = Bytecode.parse(write(bytecode))
    found = verify(again)
    assert [finding.rule for finding in found] == ["attribute-case"] * 20
    offsets = [finding.offset for finding in found]
    assert offsets == sorted(set(offsets))
    assert {(finding.function, finding.op, finding.severity) for finding in found} == {
        ("main", "addf", "error")
    }
    with pytest.raises(VerifyError, match="20 problems") as caught:
        check(again)
    assert list(caught.value.diagnostics) == found


def chain(kernel: Kernel) -> None:
    value = ones(kernel, "f32")
    for _ in range(5):
        value = kernel.addf(value, value)
    other = kernel.negf(ones(kernel, "f16"))
    kernel.absf(other)


def test_consequences_are_not_reported() -> None:
    """One type is wrong in a chain, and one mistake elsewhere has nothing to do with it."""
    bytecode = built(chain)
    first = ops(bytecode, "addf")[0]
    first.result.type = Tile(Scalar("f16"))
    ops(bytecode, "absf")[0].result.type = Tile(Scalar("f32"))
    assert rules(bytecode) == ["same-type", "same-type"]
    assert [finding.op for finding in verify(bytecode)] == ["addf", "absf"]


def looping(kernel: Kernel) -> None:
    one = ones(kernel, "i32")
    with kernel.for_(one, one, one, [ones(kernel, "f32")]) as loop:
        kernel.continue_([kernel.negf(loop.arguments[1])])
    kernel.negf(loop.result)


def test_what_a_failed_loop_carries_is_not_reported() -> None:
    bytecode = built(looping)
    (loop,) = ops(bytecode, "for")
    loop.results[0].type = Tile(Scalar("i32"))
    assert rules(bytecode) == ["same-type"]


def test_a_use_before_the_definition() -> None:
    bytecode = built(twenty)
    first, *_, last = ops(bytecode, "addf")
    first.operands["lhs"] = last.result
    (found,) = verify(bytecode)
    assert (found.rule, found.message) == ("dominance", "operand #0 does not dominate this use")


def test_a_value_of_a_region_that_was_left() -> None:
    bytecode = built(looping)
    inner, outer = ops(bytecode, "negf")
    outer.operands["source"] = inner.result
    assert rules(bytecode) == ["dominance"]


def test_an_op_that_the_version_lacks() -> None:
    newer = built(lambda kernel: kernel.fpowi(ones(kernel, "f32"), ones(kernel, "i32")))
    older = built(lambda kernel: None, "13.1")
    moved = newer.functions[0].ops[:3]
    del newer.functions[0].ops[:3]
    older.functions[0].body.block.ops[:0] = moved
    assert rules(older) == ["version"]


def test_a_constant_of_another_type() -> None:
    bytecode = built(lambda kernel: ones(kernel, "f32"))
    (constant,) = ops(bytecode, "constant")
    constant.result.type = Tile(Scalar("f32"), (4,))
    assert rules(bytecode) == ["constant-value"]


def test_a_reduction_of_half_bytes() -> None:
    module = Module()
    kernel = module.function("main")
    tile = ones(kernel, "16xf4E2M1FN")
    with pytest.raises(BuildError, match="a tile of rank 0 of f4E2M1FN does not exist"):
        kernel.reduce([tile], 0, [number(1, "f4E2M1FN")], results=["f32"])


def test_targets() -> None:
    bytecode = built(lambda kernel: kernel.ftof(ones(kernel, "f32"), result="f8E5M2"))
    assert (
        rules(bytecode) == rules(bytecode, target="sm_89") == rules(bytecode, target="host") == []
    )
    assert rules(bytecode, target="sm_80") == ["tileiras-gate"]
    assert rules(bytecode, target="sm_75") == ["tileiras-gate"]  # taken for sm_80
    with pytest.raises(UnsupportedError, match="unknown target 'sm_1'; known are host, "):
        verify(bytecode, target="sm_1")


def test_the_compiler_asks_first() -> None:
    pytest.importorskip("llvmlite")
    bytecode = built(chain)
    ops(bytecode, "addf")[0].attributes["rounding_mode"] = "approx"
    with pytest.raises(VerifyError, match="invalid rounding mode specified"):
        tileir.compile(bytecode)


def test_warnings_do_not_stop_anybody() -> None:
    module = Module("13.5")
    module.function("1st").return_()
    bytecode = module.bytecode()
    assert rules(bytecode) == ["ptx-name"]
    check(bytecode)
    assert [finding.severity for finding in verify(bytecode, strict=True)] == ["error"]


def test_deep_nesting() -> None:
    """Two thousand ifs inside each other."""
    assert verify(bomb(nested_ifs(2000))) == []


EDITS = {
    "operand rhs is a value": lambda op: op.operands.update(rhs="x"),
    "operands are a dictionary with lhs, rhs": lambda op: setattr(op, "operands", []),
    "attributes are a dictionary": lambda op: op.attributes.pop("rounding_mode"),
    "attribute rounding_mode: expected nearest_even or": lambda op: op.attributes.update(
        rounding_mode={}
    ),
    "results are a list of values": lambda op: setattr(op, "results", ["x"]),
}


@pytest.mark.parametrize("text", EDITS)
def test_what_is_no_op_is_one_finding(text: str) -> None:
    bytecode = built(chain)
    EDITS[text](ops(bytecode, "addf")[0])
    assert [(found.rule, text in found.message) for found in verify(bytecode)] == [
        ("malformed-op", True)
    ] + [("dominance", False)] * (text.startswith("results"))


@pytest.mark.parametrize("at", [0, -1])
def test_something_else_among_the_ops(at: int) -> None:
    bytecode = built(chain)
    block = bytecode.functions[0].body.block
    block.ops.insert(len(block.ops) if at else 0, "nothing")
    assert "a str is no op" in [found.message for found in verify(bytecode)]


TAGS = (1, 2, 3, 0x80, 0x100, 0x7FFE, 0x8000, 0xFFFF)


def tagged(version: str, tag: int) -> bytes:
    data = bytearray((FIXTURES / version / "vector_add.tileirbc").read_bytes())
    data[10:12] = tag.to_bytes(2, "little")
    return bytes(data)


@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3", "13.4"])
def test_a_header_without_a_tag(version: str) -> None:
    """Up to 13.4, a file with a tag can be read, but is not valid."""
    assert not verify(tagged(version, 0))
    for tag in TAGS:
        bytecode = Bytecode.parse(tagged(version, tag))
        (found,) = verify(bytecode)
        assert (found.rule, found.offset, found.severity) == ("header-tag", 10, "error")
        with pytest.raises(VerifyError, match=r"preview|version tag bits"):
            tileir.compile(bytecode, "sm_90", cache=False)


@pytest.mark.oracle
@pytest.mark.parametrize("version", ["13.1", "13.2", "13.3", "13.4", "13.5"])
def test_nvidia_refuses_every_tag(version: str, tool, tmp_path: Path) -> None:
    path = tmp_path / "tagged.tileirbc"
    for tag in (0, *TAGS):
        path.write_bytes(tagged(version, tag))
        preview = (version, tag) == ("13.5", 1)
        named = ["--preview=simt"] if preview else []
        said = tool("tileirdisasm", *named, path).stderr.decode()
        try:
            ours = [found.message for found in verify(path.read_bytes())]
        except BytecodeError as error:
            assert version == "13.5"
            ours = [str(error)]
        assert bool(said) == bool(ours) == (bool(tag) and not preview)
        if version != "13.5":
            assert all(message in said for message in ours)
