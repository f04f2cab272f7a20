"""The server, started as editors start it, and asked by the client of another package."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import call
from tileir.__main__ import main
from tileir.lsp import command

pytest.importorskip("pygls", reason="pygls is part of tileir[test]")

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

URI = "file:///folder/my%20kernel.tileir"
TEXT = """\
entry @k(%n: tile<i32>) {
  %\u00e9 = constant <i32: 1> : tile<i32>
}
// \U0001d11e
entry @l(%n: tile<i32>) {
    %a = addi %n, %n : tile<i32> // \U0001d11e
    %b = muli %a, %a : tile<i64>
}
"""
MENDED = TEXT.replace("%\u00e9", "%e").replace("i64", "i32")
DOCUMENT = lsp.TextDocumentIdentifier(URI)


class Session:
    """A client, and the diagnostics that it was sent."""

    def __init__(self) -> None:
        self.client = LanguageClient("test", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    async def __aenter__(self) -> Session:
        await self.client.start_io(sys.executable, "-m", "tileir", "lsp")
        abilities = lsp.ClientCapabilities()
        self.able = await self.client.initialize_async(lsp.InitializeParams(abilities))
        self.client.initialized(lsp.InitializedParams())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def findings(self) -> list[lsp.Diagnostic]:
        """The next diagnostics that come."""
        return list((await asyncio.wait_for(self.told.get(), 60)).diagnostics)


def at(text: str, word: str, shift: int = 0) -> lsp.Position:
    """Where a word begins, in units of UTF-16."""
    before = text[: text.index(word) + shift]
    line = before.rpartition("\n")[2]
    return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


def spelled(text: str, place: lsp.Range) -> str:
    line = text.split("\n")[place.start.line].encode("utf-16-le")
    assert place.start.line == place.end.line
    return line[2 * place.start.character : 2 * place.end.character].decode("utf-16-le")


async def talk() -> None:
    async with Session() as session:
        client = session.client
        assert session.able.capabilities.position_encoding == lsp.PositionEncodingKind.Utf16
        opened = lsp.TextDocumentItem(URI, "tileir", 1, TEXT)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(opened))
        found = await session.findings()
        assert [spelled(TEXT, each.range) for each in found] == ["\u00e9", "%a"]
        assert {each.severity for each in found} == {lsp.DiagnosticSeverity.Error}

        for version, (old, new) in enumerate([("%\u00e9", "%e"), ("i64", "i32")], 2):
            whole = lsp.VersionedTextDocumentIdentifier(version, URI)
            text = TEXT if version == 2 else TEXT.replace("%\u00e9", "%e")
            place = lsp.Range(at(text, old), at(text, old, len(old)))
            change = lsp.TextDocumentContentChangePartial(place, new)
            client.text_document_did_change(lsp.DidChangeTextDocumentParams(whole, [change]))
            found = await session.findings()
        assert found == []

        asked = DOCUMENT, at(MENDED, "%a, %a", 4)
        hover = await client.text_document_hover_async(lsp.HoverParams(*asked))
        assert "%a : tile<i32>" in hover.contents.value
        assert spelled(MENDED, hover.range) == "%a"
        where = await client.text_document_definition_async(lsp.DefinitionParams(*asked))
        assert (where.uri, where.range.start) == (URI, at(MENDED, "%a = "))
        for declared, expected in ((True, 3), (False, 2)):
            context = lsp.ReferenceContext(declared)
            params = lsp.ReferenceParams(context, *asked)
            uses = await client.text_document_references_async(params)
            assert [spelled(MENDED, each.range) for each in uses] == ["%a"] * expected
        marked = await client.text_document_document_highlight_async(
            lsp.DocumentHighlightParams(*asked)
        )
        assert [each.kind.name for each in marked] == ["Write", "Read", "Read"]

        symbols = await client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(DOCUMENT)
        )
        assert [(each.name, each.detail) for each in symbols] == [("@k", "entry"), ("@l", "entry")]
        offered = await client.text_document_completion_async(
            lsp.CompletionParams(DOCUMENT, at(MENDED, "addi", 2))
        )
        by_name = {each.label: each for each in offered.items}
        assert spelled(MENDED, by_name["addi"].text_edit.range) == "ad"
        assert "Sum of each pair" in by_name["addi"].documentation.value

        options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
        (edit,) = await client.text_document_formatting_async(
            lsp.DocumentFormattingParams(DOCUMENT, options)
        )
        assert edit.new_text.count("\n  %") == 3
        assert "// \U0001d11e\nentry @l" in edit.new_text
        assert edit.range == lsp.Range(lsp.Position(0, 0), lsp.Position(8, 0))
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(DOCUMENT))
        assert await session.findings() == []


def test_a_session() -> None:
    asyncio.run(talk())


def ended(*messages: dict) -> subprocess.CompletedProcess[bytes]:
    """A server that was sent messages, after which its client is gone."""
    bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in messages]
    said = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(each), each) for each in bodies)
    server = [sys.executable, "-m", "tileir", "lsp"]
    return subprocess.run(server, input=said, capture_output=True, check=False)


BEGIN = {"id": 1, "method": "initialize", "params": {"capabilities": {}}}
END = {"id": 2, "method": "shutdown"}, {"method": "exit"}


def test_the_end_is_no_failure() -> None:
    """Of a session as editors end it, and of one whose editor is gone."""
    for messages in ((BEGIN, *END), (BEGIN,)):
        done = ended(*messages)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_document_that_nobody_has_opened_is_read_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "k.tileir").write_text(MENDED)
    (tmp_path / "binary").write_bytes(b"\xff")
    asked = [
        {
            "id": name,
            "method": "textDocument/hover",
            "params": {
                "textDocument": {"uri": (tmp_path / name).as_uri()},
                "position": {"line": 5, "character": 5},
            },
        }
        for name in ("k.tileir", "absent", "binary")
    ]
    done = ended(BEGIN, *asked, *END)
    assert done.stderr == b""
    parts = re.split(rb"Content-Length: \d+\r\n(?:Content-Type[^\n]*\n)?\r\n", done.stdout)
    found = {answer["id"]: answer for answer in map(json.loads, parts[1:])}
    assert "%a : tile<i32>" in found["k.tileir"]["result"]["contents"]["value"]
    for name, reason in (("absent", "No such file"), ("binary", "UTF-8")):
        error = found[name]["error"]
        assert (error["code"], name in error["message"]) == (-32602, True)
        assert "is not open, and cannot be read" in error["message"]
        assert reason in error["message"]


def test_wrong_use_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(main, "lsp", "--stdio", "--grammar").returncode == 2
    for name in [*sys.modules]:
        if name.partition(".")[0] == "pygls":
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "tileir.lsp.server", raising=False)
    done = call(main, "lsp")
    assert done.returncode == 5
    assert 'pip install "pygls>=2,<3"' in done.stderr


def test_the_grammar_has_every_op(tmp_path: Path) -> None:
    from tileir.formats.ops import OPS

    grammar = json.loads(call(main, "lsp", "--grammar").stdout)
    assert grammar["scopeName"] == "source.tileir"
    begin = grammar["repository"]["op"]["begin"]
    assert not [op.mnemonic for op in OPS if op.mnemonic.replace("$", r"\$") not in begin]
    assert command.EXAMPLES
