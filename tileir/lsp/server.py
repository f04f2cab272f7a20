"""The server: the protocol on one side, `Analysis` on the other."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from tileir import __version__
from tileir.messages.texts import printable
from tileir.verifier.catalogue import ERROR

from .analysis import Analysis
from .completions import completions, prefix_at
from .occurrences import Item, Name
from .text_lines import Lines

SOURCE = "tileir"
_KINDS = {
    "op": lsp.CompletionItemKind.Function,
    "value": lsp.CompletionItemKind.Variable,
    "symbol": lsp.CompletionItemKind.Reference,
    "alias": lsp.CompletionItemKind.Reference,
    "attribute": lsp.CompletionItemKind.Property,
    "case": lsp.CompletionItemKind.EnumMember,
    "type": lsp.CompletionItemKind.Class,
    "word": lsp.CompletionItemKind.Keyword,
}


PositionParams = lsp.DefinitionParams | lsp.ReferenceParams | lsp.DocumentHighlightParams


class TileIRServer(LanguageServer):
    """A language server with the texts that a client has open."""

    def __init__(self) -> None:
        super().__init__("tileir", __version__)
        self._kept: dict[str, tuple[Analysis, Lines]] = {}

    def analysed(self, uri: str) -> tuple[Analysis, Lines]:
        """Return what is known of the present text of a document, and its lines.

        A document that no client has open is read from its file. JsonRpcInvalidParams if that
        cannot be read.
        """
        try:
            text = self.workspace.get_text_document(uri).source
        except (OSError, ValueError) as error:  # the latter where it is no UTF-8
            reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
            raise JsonRpcInvalidParams(
                printable(f"the document is not open, and cannot be read: {uri}: {reason}")
            ) from error
        kept = self._kept.get(uri)
        if kept is None or kept[0].text != text:
            encoding = self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
            name = PurePosixPath(unquote(urlsplit(uri).path)).name
            kept = (
                Analysis(text, name or uri),
                Lines(text, lsp.PositionEncodingKind(encoding).value),
            )
            if uri in self.workspace.text_documents:  # and so will be closed
                self._kept[uri] = kept
        return kept

    def forget(self, uri: str) -> None:
        """Forget a document that has been closed."""
        self._kept.pop(uri, None)

    def diagnose(self, uri: str) -> None:
        """Send what is wrong with a document."""
        analysis, lines = self.analysed(uri)
        found = [
            lsp.Diagnostic(
                span(lines, each.start, each.end),
                each.message,
                severity=(
                    lsp.DiagnosticSeverity.Error
                    if each.severity == ERROR
                    else lsp.DiagnosticSeverity.Warning
                ),
                code=each.rule or None,
                source=SOURCE,
            )
            for each in analysis.findings
        ]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))


def position(lines: Lines, offset: int) -> lsp.Position:
    """Return an offset as the protocol has it."""
    return lsp.Position(*lines.place(offset))


def span(lines: Lines, start: int, end: int) -> lsp.Range:
    """Return what lies between two offsets as the protocol has it."""
    return lsp.Range(position(lines, start), position(lines, end))


def make_server() -> TileIRServer:
    """Return a server with all it can do."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_defect)
    server = TileIRServer()
    for feature in (_add_notifications, _add_queries, _add_edits):
        feature(server)
    return server


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether to log it: pygls logs a traceback for requests that are answered by an error, too."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcInvalidParams))


def _add_notifications(server: TileIRServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.diagnose(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.diagnose(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.forget(uri)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _add_queries(server: TileIRServer) -> None:
    """Add what is asked about a place in a text."""

    def named(params: PositionParams) -> tuple[Analysis, Lines, Name | None]:
        analysis, lines = server.analysed(params.text_document.uri)
        at = lines.offset(params.position.line, params.position.character)
        return analysis, lines, analysis.found.name_at(at)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        analysis, lines = server.analysed(params.text_document.uri)
        at = lines.offset(params.position.line, params.position.character)
        found = analysis.hover(at)
        if found is None:
            return None
        page, start, end = found
        said = lsp.MarkupContent(lsp.MarkupKind.Markdown, printable_page(page))
        return lsp.Hover(said, span(lines, start, end))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        analysis, lines, name = named(params)
        if name is None or name.definition is None:
            return None
        (place, *_) = (each for each in analysis.found.same(name) if each.start == each.definition)
        return lsp.Location(params.text_document.uri, span(lines, place.start, place.end))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        analysis, lines, name = named(params)
        if name is None:
            return []
        return [
            lsp.Location(params.text_document.uri, span(lines, each.start, each.end))
            for each in analysis.found.same(name)
            if params.context.include_declaration or each.start != each.definition
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        analysis, lines, name = named(params)
        if name is None:
            return []
        kinds = lsp.DocumentHighlightKind
        return [
            lsp.DocumentHighlight(
                span(lines, each.start, each.end),
                kinds.Write if each.start == each.definition else kinds.Read,
            )
            for each in analysis.found.same(name)
        ]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        analysis, lines = server.analysed(params.text_document.uri)
        return [_symbol(item, lines) for item in analysis.found.items]


def printable_page(page: str) -> str:
    """Return a page whose control characters are escapes, but for the ends of lines."""
    return "\n".join(map(printable, page.split("\n")))


def _symbol(item: Item, lines: Lines) -> lsp.DocumentSymbol:
    """Return an entry or global, and the ops with regions in it."""
    variable = item.word == "global"
    inside = [
        lsp.DocumentSymbol(
            each.name,
            lsp.SymbolKind.Namespace,
            span(lines, each.start, each.regions[-1][1]),
            span(lines, each.start, each.end),
        )
        for each in item.statements
        if each.regions
    ]
    return lsp.DocumentSymbol(
        printable(item.symbol.text),
        lsp.SymbolKind.Variable if variable else lsp.SymbolKind.Function,
        span(lines, item.start, item.end),
        span(lines, item.symbol.start, item.symbol.end),
        detail=item.word,
        children=inside,
    )


def _add_edits(server: TileIRServer) -> None:
    """Add what helps to write a text."""

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=["%", "@", "#", "!", "<", " "]),
    )
    def complete(params: lsp.CompletionParams) -> lsp.CompletionList:
        analysis, lines = server.analysed(params.text_document.uri)
        at = lines.offset(params.position.line, params.position.character)
        word = prefix_at(analysis.text, at)
        place = span(lines, at - len(word), at)
        items = [
            lsp.CompletionItem(
                printable(each.word),
                kind=_KINDS[each.kind],
                detail=each.detail or None,
                documentation=(
                    lsp.MarkupContent(lsp.MarkupKind.Markdown, each.page) if each.page else None
                ),
                text_edit=lsp.TextEdit(place, each.word),
            )
            for each in completions(analysis, at)
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def format(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        analysis, lines = server.analysed(params.text_document.uri)
        text = analysis.formatted()
        if text is None or text == analysis.text:
            return []
        return [lsp.TextEdit(span(lines, 0, len(analysis.text)), text)]
