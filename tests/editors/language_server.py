"""A small client of a language server, which speaks JSON-RPC over standard input and output."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Self


class LanguageServer:
    """A language server with a folder open; `python` is the interpreter whose packages it sees."""

    def __init__(self, command: list[str], folder: Path, python: Path) -> None:
        self.folder, self.python = folder, python
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._sent = 0
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        abilities = {"workspace": {"configuration": True, "workspaceFolders": True}}
        self.request(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            workspaceFolders=folders,
            capabilities=abilities,
        )
        self._send(method="initialized", params={})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def completions(self, name: str, text: str) -> list[str]:
        """The labels that are offered at the end of a text."""
        path = self.folder / name
        path.write_text(text)
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})
        last = text.splitlines()[-1]
        answer = self.request(
            "textDocument/completion",
            textDocument={"uri": path.as_uri()},
            position={"line": len(text.splitlines()) - 1, "character": len(last)},
        )
        return [item["label"] for item in answer["items"]]

    def request(self, method: str, **params: object) -> Any:
        """The answer to a request; what the server asks meanwhile is answered."""
        self._sent += 1
        number = self._sent
        self._send(id=number, method=method, params=params)
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == number:
                return message["result"]
            if "method" in message and "id" in message:
                self._send(id=message["id"], result=self._answer(message))

    def _answer(self, message: dict[str, Any]) -> list[dict[str, str]] | None:
        if message["method"] != "workspace/configuration":
            return None
        asked = [item.get("section") for item in message["params"]["items"]]
        return [{"pythonPath": str(self.python)} if name == "python" else {} for name in asked]

    def _send(self, **message: object) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("the language server has ended")
        return json.loads(self._process.stdout.read(length))
