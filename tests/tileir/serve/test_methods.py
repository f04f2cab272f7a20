"""The methods answer what the commands and the library do, and errors say where."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import tileir
from tests.corpus import FIXTURES
from tests.programs import call
from tileir.__main__ import main
from tileir.builder import Module
from tileir.serve.answers import COMPUTED, SENT, answer
from tileir.serve.methods import METHODS
from tileir.tools import nvidia

from .client import sent

VECTOR_ADD = FIXTURES / "13.4" / "vector_add.tileirbc"
SAME_TYPE = FIXTURES / "invalid" / "rules" / "same-type.tileirbc"
MULTIMEM = FIXTURES / "13.5" / "multimem.tileirbc"
BYTES = VECTOR_ADD.read_bytes()
TEXT = b"entry @k() attributes { tt.num_warp = 8 } {\n  return\n}\n"


def ask(method: str, **params: object) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.loads(b"{%b}" % answer(json.dumps(message).encode()))


def result(method: str, **params: object) -> Any:
    return ask(method, **params)["result"]


def error(method: str, **params: object) -> Any:
    return ask(method, **params)["error"]


def test_each_method_is_computed() -> None:
    assert COMPUTED.keys() == METHODS.keys()


@pytest.mark.parametrize("path", [VECTOR_ADD, SAME_TYPE, MULTIMEM])
def test_verify(path) -> None:
    said = result("verify", module=sent(path.read_bytes()), target="sm_80")
    (file,) = json.loads(call(main, "verify", "--json", "--target", "sm_80", path).stdout)["files"]
    assert (said["valid"], said["diagnostics"]) == (file["valid"], file["diagnostics"])
    assert said["valid"] is (path != SAME_TYPE)


def test_dis_and_as() -> None:
    for debug in (False, True):
        text = result("dis", module=sent(BYTES), debug=debug)["text"]
        assert text == tileir.disassemble(BYTES, debug=debug)
    made = result("as", text=sent(text.encode()), version="13.4")
    assert base64.b64decode(made["module"]) == tileir.assemble(text, "13.4").build()
    assert result("as", text=sent(TEXT))["warnings"] == [
        "bytecode cannot hold tt.num_warp of entry k"
    ]


def test_names_that_are_not_utf8_come_through() -> None:
    odd = Module("13.4", producer="me\udcff").build()
    text = result("dis", module=sent(odd))["text"]
    assert text == tileir.disassemble(odd)
    assert text.startswith("// Producer: me\udcff\n")


def test_inspect() -> None:
    fields = result("inspect", module=sent(BYTES), section="Type")["fields"]
    lines = call(main, "inspect", "--json", "--section", "Type", VECTOR_ADD).stdout.splitlines()
    assert fields == list(map(json.loads, lines))
    every = result("inspect", module=sent(BYTES))["fields"]
    assert sum(field["length"] for field in every) == len(BYTES)


def test_compile() -> None:
    options = {"num_warps": 8, "symbols": ["vector_add"], "portable": True}
    made = result("compile", module=sent(BYTES), targets=["sm_90", "sm_80"], options=options)
    assert list(made["targets"]) == ["sm_90", "sm_80"]
    for target, code in made["targets"].items():
        compiled = tileir.compile(BYTES, target, **options)
        assert code == {"ptx": compiled.ptx, "plan": compiled.plan}
        assert compiled.plan["vector_add"]["block"] == [256, 1, 1]
    host = result("compile", module=sent(BYTES), targets=["host"])
    assert list(host["targets"]["host"]) == ["llvm"]


def test_warnings_are_told() -> None:
    """Those of Python, too: nothing of them reaches a stream."""
    made = result("compile", module=sent(TEXT), targets=["sm_80"], options={"num_warps": 1})
    slip = "<module>:1:25: warning: tt.num_warp of entry k is ignored, did you mean tt.num_warps?"
    assert made["warnings"] == [slip]
    kernel = tileir.assemble("entry @k() {\n  return\n}").build()
    lines = {"lineinfo": True}
    made = result("compile", module=sent(kernel), targets=["sm_80"], options=lines, emit=["ptx"])
    (said,) = made["warnings"]
    assert "line" in said


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("verify", {}, -32602, "module is missing: bytes, as text in base64"),
        ("verify", {"module": 1}, -32602, "module is not bytes, as text in base64"),
        ("verify", {"module": "A"}, -32602, "module is not bytes"),
        ("verify", {"module": "\u00e9\u00e9=="}, -32602, "module is not bytes"),
        ("verify", {"module": ""}, -32003, "found an empty file"),
        ("verify", {"module": sent(BYTES), "strict": 1}, -32602, "strict is not true or false"),
        ("verify", {"modul": "AA=="}, -32602, "no parameter modul, did you mean module?"),
        ("verify", {"module": sent(BYTES), "target": "sm_9"}, -32004, "unknown target 'sm_9'"),
        ("verify", {"module": sent(BYTES[:50])}, -32003, "at 0x"),
        ("verify", {"module": sent(b"entry @k(")}, -32003, f"{SENT}:1:10: error: "),
        ("dis", {"module": sent(TEXT)}, -32003, "this looks like text"),
        ("dis", {"module": sent(BYTES), "function": "no"}, -32602, "there is no function 'no'"),
        ("inspect", {"module": sent(BYTES), "section": "no"}, -32602, "there is no section 'no'"),
        ("as", {"text": sent(b"entry @k() { nothing }")}, -32003, f"{SENT}:1:14: error: there is"),
        ("as", {"text": sent(TEXT), "version": "13.9"}, -32004, "version 13.9 is not one of"),
        ("as", {"text": sent(TEXT), "version": "new"}, -32602, "version: "),
        ("compile", {"module": sent(BYTES)}, -32602, "targets is missing: a list of texts"),
        ("compile", {"module": sent(BYTES), "targets": []}, -32602, "targets is not a list of 1"),
        ("compile", {"module": sent(BYTES), "targets": ["sm_9"]}, -32004, "unknown target 'sm_9'"),
        ("compile", {"module": sent(SAME_TYPE.read_bytes()), "targets": ["sm_80"]}, -32001, "0x28"),
        ("compile", {"module": sent(MULTIMEM.read_bytes()), "targets": ["sm_80"]}, -32004,
         "5 ops are not supported on target sm_80"),
        ("compile", {"module": sent(BYTES), "targets": ["host"], "emit": ["ptx"]}, -32602, "host"),
        ("compile", {"module": sent(BYTES), "targets": ["sm_80"], "emit": ["sass"]}, -32602,
         "emit has 'sass', which is none of ptx, plan, llvm, cubin"),
    ],
)  # fmt: skip
def test_errors(method: str, params: dict[str, Any], code: int, message: str) -> None:
    said = error(method, **params)
    assert said["code"] == code
    assert message in said["message"]
    exits = {-32602: 2, -32001: 1, -32003: 3, -32004: 4}
    assert said["data"]["exit_code"] == exits[code]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_warp": 4}, "there is no option num_warp, did you mean num_warps?"),
        ({"check": "memory"}, "there is no option check"),
        ({"cache": False}, "there is no option cache"),
        ({"num_warps": {"a": [None]}}, "option num_warps is"),
        ({"num_warps": 1e999}, "option num_warps is"),
        ({"cluster_dim": "2,1,1"}, "option cluster_dim is"),
        ({"cluster_dim": [[], {}, None]}, "option cluster_dim is"),
        ({"num_ctas": 2, "maxclusterrank": 4}, "exclude each other"),
        ({"symbols": "vector_add"}, "symbols is not a list of texts"),
        ({"symbols": ["no"]}, "there is no entry 'no'; the file has vector_add"),
        ({"lineinfo": "yes"}, "lineinfo is not true or false"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    said = error("compile", module=sent(BYTES), targets=["sm_90"], options=options)
    assert said["code"] == -32602
    assert message in said["message"]


def test_where_it_is_wrong_is_data() -> None:
    broken = (FIXTURES / "invalid" / "type_index_out_of_range.tileirbc").read_bytes()
    said = error("dis", module=sent(broken))
    assert said["data"] == {
        "kind": "BytecodeError", "exit_code": 3, "offset": 0x17, "section": "Func",
        "path": "func[0].body[0].result_types[0]",
    }  # fmt: skip
    (row,) = error("as", text=sent(b"entry @k() { nothing }"))["data"]["diagnostics"]
    assert (row["line"], row["column"], row["rule"]) == (1, 14, "syntax")
    rows = error("compile", module=sent(SAME_TYPE.read_bytes()), targets=["sm_80"])["data"]
    assert [(row["rule"], row["offset"]) for row in rows["diagnostics"]] == [("same-type", 0x28)]


@pytest.mark.oracle
def test_a_cubin(tool) -> None:
    tool("ptxas", "--version")
    made = result("compile", module=sent(BYTES), targets=["sm_80"], emit=["cubin"])
    assert base64.b64decode(made["targets"]["sm_80"]["cubin"]).startswith(b"\x7fELF")


def test_a_tool_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    said = error("compile", module=sent(BYTES), targets=["sm_80"], emit=["cubin"])
    assert (said["code"], said["data"]["exit_code"]) == (-32005, 5)


def test_a_defect_is_left_to_the_supervisor(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise AssertionError("of our own making")

    monkeypatch.setitem(COMPUTED, "dis", broken)
    with pytest.raises(AssertionError, match="of our own making"):
        ask("dis", module=sent(BYTES))
