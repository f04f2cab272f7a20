"""Public-preview content: read, printed, assembled, built, inspected, verified, retargeted.

The goldens in tests/golden/preview are what tileirdisasm 13.5.37 prints with ``--preview=simt``.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tests.corpus import PREVIEW as FILES
from tileir import Bytecode, BytecodeError, UnsupportedError, VersionError
from tileir.attributes import IntegerAttribute
from tileir.explain.annotate import annotate
from tileir.explain.op_tree import op_tree
from tileir.expressions import (
    ExprAdd,
    ExprBuiltin,
    Expression,
    ExprInt,
    ExprMul,
    ExprNeg,
    ExprVar,
    Layout,
    short,
)
from tileir.formats.version import LATEST, PREVIEW, V13_5, Version
from tileir.ir.attribute_kinds import attribute_problem
from tileir.ir.type_kinds import type_problem
from tileir.read.declarations import Implementation
from tileir.text.printer.declarations import print_declaration
from tileir.text.printer.pieces import BoundedText
from tileir.types import Fragment, ParameterType, Scalar, SymbolicTile

GOLDENS = ROOT / "tests" / "golden" / "preview"
ACCESS = "{cuda_tile.preview$access = #cuda_tile<preview$access<in>>}"
EXTERN = f"preview$func extern @f(%a: tile<8xf32> {ACCESS})"
CALL = "(%0) : (!cuda_tile.tile<8xf32>) -> ()"

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
printed = pytest.mark.parametrize("debug", [False, True], ids=["plain", "debug"])


def golden(path: Path, debug: bool = False) -> str:
    return (GOLDENS / f"{path.stem}{'.debug' if debug else ''}.mlir").read_text()


def test_there_are_files() -> None:
    assert len(FILES) == 4


@every_file
@printed
def test_the_text_is_that_of_nvidias_disassembler(path: Path, debug: bool) -> None:
    assert tileir.disassemble(path.read_bytes(), debug=debug) == golden(path, debug)


@pytest.mark.oracle
@every_file
@printed
def test_nvidias_disassembler_prints_it(path: Path, debug: bool, tool, tmp_path: Path) -> None:
    """The file itself, what is assembled from its text, and what is written anew."""
    made = tmp_path / "made.tileirbc"
    text = golden(path, debug)
    for data in (
        path.read_bytes(),
        tileir.assemble(text).data,
        tileir.load(path).build(compact=True),
    ):
        made.write_bytes(data)
        done = tool("tileirdisasm", "--preview=simt", *(["-g"] if debug else []), made)
        assert done.stdout.decode() == text, done.stderr.decode()


@every_file
@printed
def test_the_text_is_assembled(path: Path, debug: bool) -> None:
    bytecode = tileir.assemble(golden(path, debug))
    assert bytecode.version == PREVIEW
    assert bytecode.tag == 1
    assert tileir.disassemble(bytecode, debug=debug) == golden(path, debug)


@every_file
def test_bytes_are_written_back(path: Path) -> None:
    data = path.read_bytes()
    for reference in (False, True):
        bytecode = Bytecode.parse(data, reference=reference).touch(strict=True)
        assert bytecode.build() == data
        assert tileir.disassemble(bytecode) == golden(path)
        assert tileir.disassemble(bytecode.build(compact=True)) == golden(path)
    bytecode = Bytecode.parse(data, strict=True)
    for other in (copy.deepcopy(bytecode), pickle.loads(pickle.dumps(bytecode))):
        assert bytes(other.data) == data


@every_file
def test_an_edit_keeps_declarations_where_they_are(path: Path) -> None:
    bytecode = tileir.load(path)
    kernel = bytecode.function("k")
    kernel.name = "another"
    text = tileir.disassemble(bytecode.build())
    assert text == golden(path).replace("entry @k(", "entry @another(")
    bytecode.functions.append(kernel.clone("one_more"))
    for data in (bytecode.build(), bytecode.build(compact=True)):
        made = Bytecode.parse(data)
        assert [replace(each, index=0) for each in made.declarations] == [
            replace(each, index=0) for each in bytecode.declarations
        ]
        assert [each.name for each in made.functions] == ["another", "one_more"]
        assert not tileir.verify(made)


def test_a_kernel_cannot_have_the_name_of_a_declaration() -> None:
    for compact in (False, True):
        bytecode = tileir.load(FIXTURES / "preview" / "calls.tileirbc")
        bytecode.function("k").name = bytecode.declarations[0].name
        with pytest.raises(tileir.BuildError, match="has another one of that name"):
            bytecode.build(compact=compact)


@every_file
def test_every_byte_has_a_meaning(path: Path) -> None:
    data, end = path.read_bytes(), 0
    for leaf in annotate(Bytecode.parse(data)):
        if hasattr(leaf, "data"):
            assert leaf.offset == end
            end += len(leaf.data)
    assert end == len(data)


@every_file
def test_json_has_the_declarations(path: Path) -> None:
    bytecode = tileir.load(path)
    tree = json.loads(op_tree(bytecode))
    assert (tree["version"], tree["preview"]) == ("13.5", True)
    lines = golden(path).splitlines()
    shown = [line.strip() for line in lines if line.startswith("preview$")]
    assert [each["text"] for each in tree["declarations"]] == shown
    assert [each["name"] for each in tree["functions"]] == ["k"]


@every_file
def test_it_is_valid(path: Path) -> None:
    assert not tileir.verify(path.read_bytes())


@every_file
def test_older_versions_lack_it(path: Path) -> None:
    for version in ("13.4", "13.5"):
        with pytest.raises(VersionError, match=r"needs 13\.5 preview"):
            tileir.load(path).to_version(version)
    plain = bytearray(path.read_bytes())
    plain[10] = 0
    with pytest.raises(BytecodeError) as caught:
        Bytecode.parse(bytes(plain)).touch()
    assert caught.value.kind in ("preview", "bad_index")


@every_file
def test_both_codecs_agree_on_mutants(path: Path, whole: bool) -> None:
    data, chance = path.read_bytes(), random.Random(path.stem)
    for _ in range(300 if whole else 100):
        mutant = bytearray(data)
        for _ in range(chance.choice((1, 1, 2))):
            mutant[chance.randrange(12, len(mutant))] = chance.randrange(256)
        said = []
        for reference in (False, True):
            try:
                bytecode = Bytecode.parse(bytes(mutant), reference=reference).touch()
                said.append((tileir.disassemble(bytecode), bytecode.build()))
            except tileir.TileIRError as error:
                said.append(str(error))
        assert said[0] == said[1], bytes(mutant).hex()


def test_a_header_without_preview_content_is_read() -> None:
    newest = next((FIXTURES / "13.5").glob("*.tileirbc")).read_bytes()
    announced = newest[:10] + b"\x01" + newest[11:]
    assert Bytecode.parse(announced).version == PREVIEW
    assert tileir.disassemble(announced) == tileir.disassemble(newest)
    assert bytes(Bytecode.parse(announced).to_version("13.5").data) == newest
    assert bytes(Bytecode.parse(newest).to_version("13.5 preview").data) == announced


def test_versions_in_order() -> None:
    assert LATEST < PREVIEW < Version(13, 6)
    assert PREVIEW.plain == V13_5 == (13, 5)
    assert PREVIEW != V13_5
    assert (PREVIEW.preview, V13_5.preview) == (True, False)
    assert Version.of(str(PREVIEW)) == PREVIEW == pickle.loads(pickle.dumps(PREVIEW))
    assert str(PREVIEW) == "13.5 preview"


def test_a_text_of_an_older_version_is_refused() -> None:
    said = r"\$func needs 13\.5 preview, writing 13\.4"
    with pytest.raises(tileir.AssemblyError, match=said):
        tileir.assemble(f"{EXTERN}\n", "13.4")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("preview$func @f()", "expected 'extern'"),
        ("preview$func extern @f(%a: preview$sym<E>)", "there is no type 'preview$sym'"),
        ("preview$func extern @f(%a: tile<[N*]x8xf32>)", "expected a number, a name or '('"),
        ("preview$func extern @f(%a: tile<[N]8xf32>)", "expected ']x'"),
        (
            "preview$func extern @f(%a: tile<f32> {a.b = #cuda_tile<preview$expr_in<3>>})",
            "expr_int",
        ),
        ("preview$extern_impl @f implements @g (%a: tile<f32>) arch = 3", "names of architectures"),
        (EXTERN.replace("8xf32", f"[{'N+' * 64}N]xf32"), "attributes nested more than 64 deep"),
        (EXTERN.replace("8xf32", f"[{'N+' * 9999}N]xf32"), "attributes nested more than 64 deep"),
        (EXTERN.replace("8xf32", f"[{'(' * 9999}N]xf32"), "nested more than 200 deep"),
        (
            f"preview$extern_impl @i implements @f<[{'(' * 9999}]> (%a: tile<f32>)",
            "nested more than 200 deep",
        ),
    ],
)
def test_wrong_texts(wrong: str, message: str) -> None:
    with pytest.raises(tileir.AssemblyError) as caught:
        tileir.assemble(wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "extent",
    ["N+" * 63 + "N", "-(" * 62 + "-N" + ")" * 62, "N-(" * 62 + "N-N" + ")" * 62],
    ids=["left", "minus", "right"],
)
def test_what_is_assembled_can_be_read(extent: str) -> None:
    text = EXTERN.replace("@f", "@f<[N: index]>").replace("8xf32", f"[{extent}]xf32")
    printed = tileir.disassemble(bytes(tileir.assemble(text).data))
    assert f"tile<[{extent}]xf32>" in printed


def test_declarations_that_break_rules_have_a_text() -> None:
    """JSON has the text of each, and is not verified."""
    bytecode = tileir.load(FIXTURES / "preview" / "implementations.tileirbc")
    wrong = (IntegerAttribute(Scalar("i32"), 1),)
    for declared in bytecode.declarations:
        if isinstance(declared, Implementation):
            declared = replace(declared, const_params=wrong, const_args=wrong)
            text = BoundedText(bytecode)
            print_declaration(declared, text, None)
            assert f"@{declared.name}<[1 : i32]> implements" in str(text)
            assert f"@{declared.implements}<[1 : i32]>" in str(text)


def nested(levels: int) -> Expression:
    return ExprInt(1) if levels == 1 else ExprNeg(nested(levels - 1))


LAYOUT = Layout((ExprInt(8),), (ExprInt(1),))
LEGAL = Fragment(Scalar("f32"), (ExprInt(8),), "local", LAYOUT, LAYOUT, ExprInt(4))


@pytest.mark.parametrize(
    "wrong",
    [
        ParameterType("f32"),
        ParameterType("tile"),
        *(
            SymbolicTile(Scalar("f32"), (extent,))
            for extent in (
                ExprInt("8"),
                ExprInt(1 << 63),
                ExprVar(8),
                ExprNeg(8),
                ExprMul(ExprVar("N"), "M"),
                ExprBuiltin("a.b", "index"),
                ExprInt(3),
                8,
                nested(65),
            )
        ),
        *(
            replace(LEGAL, **part)
            for part in (
                {"alignment": 4},
                {"memory_space": []},
                {"mem_layout": Layout((8,), (ExprInt(1),))},
                {"fragmap": None},
            )
        ),
    ],
    ids=lambda wrong: repr(wrong)[:60],
)
def test_types_made_by_hand(wrong: Any) -> None:
    assert not type_problem(LEGAL)
    assert not type_problem(SymbolicTile(Scalar("f32"), (nested(64),)))
    assert type_problem(wrong)


def test_attributes_nested_too_deep_are_refused() -> None:
    expression: Expression = ExprInt(1)
    for _ in range(5000):
        expression = ExprNeg(expression)
    assert attribute_problem(expression) == "attributes nested more than 64 deep"


def test_short_texts_have_as_few_parentheses_as_nvidias() -> None:
    n, one, two = ExprVar("N"), ExprInt(1), ExprInt(-2)
    cases = {
        ExprMul(ExprAdd(n, one), ExprMul(n, two)): "(N+1)*(N*-2)",
        ExprAdd(ExprMul(n, one), ExprAdd(n, two)): "N*1+(N+-2)",
        ExprMul(n, ExprNeg(ExprNeg(two))): "N*-(--2)",
        ExprMul(ExprNeg(ExprMul(one, n)), one): "-(1*N)*1",
    }
    assert {short(expression): text for expression, text in cases.items()} == {
        text: text for text in cases.values()
    }


RULES = {
    "public": (EXTERN, "", None),
    "no parameter": (
        "preview$func extern @f()",
        "",
        "extern functions must declare at least one input",
    ),
    "undeclared": (
        EXTERN.replace("8xf32", "[N]xf32"),
        "",
        "input type references undeclared symbolic variable 'N'",
    ),
    "two of a name": (
        EXTERN.replace("@f", "@f<[A: index, A: index]>"),
        "",
        "duplicate constant parameter name: 'A'",
    ),
    "out": (
        EXTERN.replace("<in>", "<out>"),
        "",
        "number of bound inouts exceeded the number of results",
    ),
    "no extern function": (EXTERN, f"@k{CALL}", "'k' does not reference a valid preview$func"),
    "constants": (
        EXTERN,
        f"@f<[3]>{CALL}",
        "constant argument count (1) must match extern function constant parameter count (0)",
    ),
    "unknown": (EXTERN, f"@g{CALL}", None),
}
"""What is wrong with a module -> an extern function, a call, and what is said."""


@pytest.mark.oracle
@pytest.mark.parametrize(("declared", "call", "message"), RULES.values(), ids=RULES)
def test_rules_are_nvidias(declared: str, call: str, message: str | None, tool, tmp_path) -> None:
    body = f"  %0 = constant <f32: 1.0> : tile<8xf32>\n  preview$call {call}\n" if call else ""
    bytecode = tileir.assemble(f"{declared}\nentry @k() {{\n{body}}}\n")
    said = [found.message for found in tileir.verify(bytecode)]
    assert said == ([message] if message else [])
    path = tmp_path / "made.tileirbc"
    path.write_bytes(bytecode.data)
    done = tool("tileirdisasm", "--preview=simt", path)
    assert (done.returncode == 0) == (message is None)
    assert message is None or message in done.stderr.decode()


def implementation(
    extents: str = "8",
    memory: str = "(8):(1)",
    fragmap: str = "(1, 128, 8):(0, 0, 1)",
    alignment: str = "4",
) -> str:
    """A module with an implementation of one parameter, which is that fragment."""
    layouts = f"mem_layout = <{memory}>, fragmap = <{fragmap}>, alignment = {alignment}"
    type = f"preview$fragment<{extents}xf32, local, {layouts}>"
    return f"{EXTERN}\npreview$extern_impl @i<[N: index]> implements @f (%a: {type} {ACCESS})\n"


HUGE = "4611686018427387904"
"""300 such factors have more digits than Python converts to a text."""

FRAGMENTS = {
    "right": ({}, ""),
    "footprint": (
        {"fragmap": "(1, 128, 16):(0, 0, 1)"},
        "fragment arg 0 fragmap footprint mode size (16) must equal the fragment element count (8)",
    ),
    "beyond 64 bits": (
        {"fragmap": f"(1, 128, ({', '.join([HUGE] * 300)})):(0, 0, ({', '.join('1' * 300)}))"},
        "fragmap modes must contain signed 64-bit shape leaves with representable products",
    ),
    "variables": ({"extents": "[N]", "memory": "(N):(1)", "fragmap": "(1, N, N):(0, 0, 1)"}, ""),
    "shape": ({"extents": "[M]"}, "field shape references an undeclared symbolic variable M"),
    "mem_layout": ({"memory": "(8):(M)"}, "mem_layout references an undeclared"),
    "fragmap": ({"fragmap": "(1, M, 8):(0, 0, 1)"}, "fragmap references an undeclared"),
    "alignment": ({"alignment": "M*2"}, "alignment references an undeclared"),
}


@pytest.mark.oracle
@pytest.mark.parametrize(("parts", "message"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_rules_of_fragments_are_nvidias(parts: dict, message: str, tool, tmp_path: Path) -> None:
    bytecode = tileir.assemble(implementation(**parts))
    said = [found.message for found in tileir.verify(bytecode)]
    assert len(said) == bool(message)
    path = tmp_path / "made.tileirbc"
    path.write_bytes(bytecode.data)
    done = tool("tileirdisasm", "--preview=simt", path)
    assert bool(done.returncode) == bool(message), done.stderr
    assert not message or (message in said[0] and said[0] in done.stderr.decode())


def test_compile_says_what_a_call_needs() -> None:
    pytest.importorskip("llvmlite")
    for target in ("host", "sm_90"):
        with pytest.raises(UnsupportedError) as caught:
            tileir.compile((FIXTURES / "preview" / "calls.tileirbc").read_bytes(), target=target)
        assert "it calls the extern function @scale" in str(caught.value)
        assert "library (.tilelib)" in str(caught.value)


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("!cuda_tile.tile<[N+1]x8xf32>", ""),
        ('#cuda_tile<preview$expr_var<"">>', "name cannot be empty"),
        ('#cuda_tile<preview$expr_var<"a.b">>', "cannot contain '.'"),
        ('#cuda_tile<preview$expr_builtin<"a.b", none>>', "result type must be index, got 'none'"),
        ("#cuda_tile<preview$layout<(2, 3):(1)>>", "the same nesting structure"),
        ("#cuda_tile<preview$layout<(2, (3,)):(1, 1)>>", "the same nesting structure"),
        ("#cuda_tile<preview$layout<(0):(1)>>", "must be positive, but mode 0 is 0"),
        ("#cuda_tile<preview$layout<(1):(-1)>>", "must be non-negative, but mode 0 is -1"),
        ("!cuda_tile.tile<[N/2]x8xf32>", "must be an integer-valued expression"),
        ("!cuda_tile.tile<[N]x3xf32>", "powers of two"),
    ],
)
def test_what_nvidias_reader_refuses_is_not_written(spelled: str, message: str) -> None:
    text = EXTERN.replace("<in>>}", f"<in>>, my.x = {spelled}}}") + "\n"
    if not message:
        assert (
            tileir.disassemble(tileir.assemble(text)).replace("%arg0", "%a").strip() == text.strip()
        )
        return
    with pytest.raises(tileir.AssemblyError) as caught:
        tileir.assemble(text)
    assert message in str(caught.value)
