"""What pyright, mypy and editors see of the installed wheel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from tests.docs.pages import TEXTS, blocks
from tests.installed import build_wheel, install
from tileir.builder.calls import METHODS
from tileir.builder.editor import Editor
from tileir.builder.kernel import Kernel
from tileir.builder.op_builder import OpBuilder
from tileir.builder.op_methods import OpMethods
from tileir.builder.op_stub import PATH, stub
from tileir.gpus import TARGETS, TargetName

from .language_server import LanguageServer

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    block.body
    for text in TEXTS.values()
    for block in blocks(text)
    if block.language == "python" and not block.left_out
]


def test_the_stub_is_fresh(update: bool) -> None:
    if update:
        PATH.write_text(stub(), encoding="utf-8", newline="\n")
    assert PATH.read_text(encoding="utf-8") == stub(), "run with --update"


@pytest.mark.parametrize("builder", [Kernel, Editor])
def test_no_op_is_hidden_by_the_builder(builder: type[OpBuilder]) -> None:
    assert METHODS
    assert not [
        (name, each.__name__)
        for each in builder.__mro__[: builder.__mro__.index(OpMethods)]
        for name in METHODS
        if name in vars(each)
    ]


def test_the_targets_are_listed() -> None:
    assert get_args(TargetName) == tuple(TARGETS)


def test_the_options_are_those_of_the_compiler() -> None:
    pytest.importorskip("llvmlite")
    from inspect import Parameter, signature

    from tileir.codegen import compile as compile_bytecode
    from tileir.codegen.api import CHECKS
    from tileir.codegen.launch_terms import OPTIONS
    from tileir.launch.compile_options import Check, CompileOptions

    own = signature(compile_bytecode).parameters.values()
    keywords = {each.name for each in own if each.kind is Parameter.KEYWORD_ONLY}
    assert set(CompileOptions.__annotations__) == keywords | {each.name for each in OPTIONS}
    assert get_args(Check) == CHECKS


class Installed(NamedTuple):
    """An environment with the wheel."""

    python: Path
    site: Path


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    wheel = build_wheel(tmp_path_factory.mktemp("dist"))
    return Installed(*install(wheel, tmp_path_factory.mktemp("environment")))


def pyright(folder: Path, installed: Installed, **settings: Any) -> list[str]:
    """What pyright says of the Python files in a folder: "file:line: message", in basic mode."""
    pytest.importorskip("pyright", reason="pyright is part of tileir[test]")
    config = {"typeCheckingMode": "basic", "pythonVersion": "3.11", **settings}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson"]
    command += ["--pythonpath", str(installed.python)]
    offline = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=offline, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert said["summary"]["filesAnalyzed"] >= len(settings.get("include", "."))
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in said["generalDiagnostics"]
    ]


def mypy(folder: Path, installed: Installed) -> list[str]:
    """What mypy says of the Python files in a folder: "file:line: error: message"."""
    pytest.importorskip("mypy", reason="mypy is part of tileir[test]")
    command = [sys.executable, "-m", "mypy", "--python-executable", str(installed.python)]
    command += ["--no-error-summary", "--hide-error-context", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if " note: " not in line]


@pytest.fixture(scope="module", params=[pyright, mypy], ids=["pyright", "mypy"])
def said(
    request: pytest.FixtureRequest, installed: Installed, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """What a checker says of the examples of README and docs, and of `typed.py` and `wrong.py`."""
    folder = tmp_path_factory.mktemp("checked")
    for number, example in enumerate(EXAMPLES):
        (folder / f"example_{number}.py").write_text(example)
    (folder / "typed.py").write_text(TYPED)
    (folder / "wrong.py").write_text(WRONG)
    return request.param(folder, installed)


@pytest.mark.slow
def test_examples_of_the_documents_are_right(said: list[str]) -> None:
    assert len(EXAMPLES) >= 8
    assert not [line for line in said if line.startswith("example_")]


TYPED = """
from typing import Any, assert_type

import tileir
from tileir.builder import Editor, Kernel, Module
from tileir.builder.regions import Nested
from tileir.codegen.compilation import Compilation, Compiled
from tileir.codegen.host import HostCompilation, HostKernel
from tileir.codegen.nvptx import CompiledEntry, PtxCompilation
from tileir.ir import Block, Op, Use, Value


def read(bytecode: tileir.Bytecode, target: str) -> None:
    assert_type(bytecode.functions, list[tileir.Function])
    for function in bytecode.functions:
        assert_type(function.name, str)
        for op in function.walk():
            assert_type(op, Op)
            print(op.result.type.element.bits, op.operands["lhs"].type)
    assert_type(tileir.compile(bytecode), Compilation[Compiled])
    assert_type(tileir.compile(bytecode, target), Compilation[Compiled])
    assert_type(tileir.compile(bytecode, "host"), HostCompilation)
    assert_type(tileir.compile(b"", "sm_90", num_warps=4), PtxCompilation)
    assert_type(tileir.compile(bytecode, "sm_90").ptx, str)
    assert_type(tileir.compile(bytecode, "host")["k"], HostKernel)
    assert_type(tileir.compile(bytecode, "sm_90a")["k"], CompiledEntry)
    tileir.compile(bytecode, "host")["k"].launch((1, 2), [1, 2.0], threads=1)
    tileir.compile(bytecode, "sm_90")["k"].launch(1, [], stream=0)


def build(kernel: Kernel, x: Value) -> None:
    assert_type(kernel.addi(x, x, "no_wrap", location=None), Value)
    assert_type(kernel.addi(lhs=x, rhs=x, overflow="none"), Value)
    assert_type(kernel.constant([1, 2], result="2xi32"), Value)
    assert_type(kernel.get_tile_block_id(), tuple[Value, Value, Value])
    assert_type(kernel.for_(x, x, x, [x, x]), Nested)
    with kernel.if_(x).thenRegion as arguments:
        assert_type(arguments, list[Value])
    kernel.return_()


def edit(function: tileir.Function, op: Op, value: Value) -> None:
    assert_type(function.parameters, tuple[Value, ...])
    assert_type(function.ops[0].result, Value)
    assert_type(function.body.block, Block)
    assert_type(function.clone("other"), tileir.Function)
    assert_type(value.uses, tuple[Use, ...])
    for use in value.uses:
        assert_type(use.op, Op)
        assert_type(use.op.name, str)
        assert_type(use.value, Value)
        use.set(value)
    value.replace_all_uses_with(op.result, where=lambda use: use.op.name != "addf")
    op.operands["lhs"] = value
    assert_type(op.clone(), Op)
    assert_type(op.parent_op, Op | Any)
    assert_type(op.parent, Block | Any)
    assert_type(value.owner, Op | Any)
    assert_type(op.is_before(op), bool)
    assert_type(op.regions[0].block.ops[0], Op)
    op.clone().insert_before(op)
    op.move_after(op)
    op.replace_with(value)
    op.erase()
    editor = Editor(function).before(op)
    assert_type(editor, Editor)
    assert_type(editor.addf(value, value), Value)
    assert_type(editor.after(op).constant(1, result="i32"), Value)
    assert_type(editor.for_(value, value, value), Nested)
    editor.set(op, overflow="no_wrap")
    editor.rename(op, "subi")
    with editor.at(None):
        editor.return_()


assert_type(Module("13.4").bytecode(), tileir.Bytecode)
assert_type(tileir.load("module.tileirbc"), tileir.Bytecode)
assert_type(tileir.load("module.tileirbc").build(compact=True), bytes)
"""

WRONG = """
import tileir
from tileir.builder import Editor, Module

bytecode = tileir.Bytecode.parse(b"")
editor = Editor(bytecode.functions[0])
op = bytecode.functions[0].ops[0]
kernel = Module().function("k", ["i32"])
(x,) = kernel.parameters
kernel.not_an_op()  # wrong
kernel.addi(x)  # wrong
kernel.addi(3, x)  # wrong
kernel.addi(x, x, overflow="nope")  # wrong
kernel.addi(x, x, carry=x)  # wrong
kernel.addi(x, x).shape  # wrong
kernel.return_().type  # wrong
editor.not_an_op()  # wrong
editor.addi(x)  # wrong
editor.addi(x, x, overflow="nope")  # wrong
editor.before(x)  # wrong
Editor(bytecode)  # wrong
op.insert_before(x)  # wrong
op.not_an_edit()  # wrong
op.result.uses[0].name  # wrong
op.result.replace_all_uses_with(op)  # wrong
bytecode.functions[0].clone(3)  # wrong
tileir.load(b"bytes", strict="yes")  # wrong
tileir.compile(3)  # wrong
tileir.compile(bytecode, bogus=3)  # wrong
tileir.compile(bytecode, check="memry")  # wrong
tileir.compile(bytecode, num_warps="4")  # wrong
tileir.compile(bytecode, "host")["k"].launch(1, [], stream=0)  # wrong
tileir.compile(bytecode, "sm_90")["k"].launch(1, [], threads=2)  # wrong
tileir.compile(bytecode, "sm_90").ptxx  # wrong
tileir.Bytecode.parse("file")  # wrong
tileir.disassemble(bytecode).functions  # wrong
bytecode.functions.name  # wrong
tileir.Bitecode  # wrong
"""


@pytest.mark.slow
def test_what_is_right_and_what_is_not(said: list[str]) -> None:
    marked = {
        f"wrong.py:{number}"
        for number, line in enumerate(WRONG.splitlines(), 1)
        if line.endswith("# wrong")
    }
    found = [line for line in said if not line.startswith("example_")]
    assert {":".join(line.split(":")[:2]) for line in found} == marked, found


@pytest.mark.slow
def test_editors_complete_ops_options_and_kernels(installed: Installed, tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is part of tileir[test]")
    command = [sys.executable, "-c", "from pyright.langserver import main; main('--stdio')"]
    head = "import tileir\nfrom tileir.builder import Module\nb = tileir.Bytecode.parse(b'')\n"
    with LanguageServer(command, tmp_path, installed.python) as server:

        def offered(name: str, line: str) -> set[str]:
            return set(server.completions(f"{name}.py", head + line))

        assert offered("ops", "kernel = Module().function('k')\nkernel.") >= set(METHODS)
        editor = "from tileir.builder import Editor\neditor = Editor(b.functions[0])\neditor."
        assert offered("edits", editor) >= {*METHODS, "before", "after", "set", "rename"}
        uses = offered("uses", "b.functions[0].parameters[0].uses[0].op.")
        assert uses >= {"name", "operands", "result", "insert_before", "replace_with", "clone"}
        options = offered("options", "tileir.compile(b, ")
        assert options >= {"target=", "symbols=", "check=", "cache=", "num_warps=", "portable="}
        compiled = offered("compiled", "compiled = tileir.compile(b, 'sm_90')\ncompiled.")
        assert compiled >= {"ptx", "plan", "llvm_ir", "stages", "items"}
        assert {"launch", "load"} <= offered("kernel", "tileir.compile(b, 'sm_90')['k'].")
        launch = offered("launch", "k = tileir.compile(b, 'host')['k']\nk.launch(b, b, ")
        assert launch >= {"threads=", "allocations=", "on_trace="}


@pytest.mark.slow
def test_the_product_itself_is_right(installed: Installed, tmp_path: Path) -> None:
    """Of construct and llvmlite, which have no types, nothing is believed that pyright would guess
    from their code: IRBuilder's methods, say, would all return None. Packages of extras may be
    missing; a module of our own that is missing fails wherever it is imported.
    """
    package = installed.site / "tileir"
    samples = package / "samples" / "files"  # programs that import others' packages
    files = sorted(path for path in package.rglob("*.py") if samples not in path.parents)
    assert len(files) > 900
    include = [os.path.relpath(path, tmp_path) for path in files]
    own = [str(installed.site)]  # what is beside the files is no library of somebody else
    assert not pyright(
        tmp_path, installed, include=include, exclude=[], extraPaths=own,
        useLibraryCodeForTypes=False, reportMissingImports=False,
    )  # fmt: skip
