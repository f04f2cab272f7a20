"""A client of `tileir serve`, which knows nothing of it but the protocol."""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
import sys
from typing import Any, Self

from tests.corpus import ROOT

SERVE = [sys.executable, "-m", "tileir", "serve", "--stdio"]


def framed(message: object) -> bytes:
    """A message with its header; bytes are taken for JSON already."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(data), data)


def sent(data: bytes) -> str:
    """Bytes as requests have them."""
    return base64.b64encode(data).decode()


class Client:
    """A server with pipes on both sides, and one request after the other."""

    def __init__(self, *options: str, command: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*(command or SERVE), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):  # what was not sent
                pipe.close()

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, /, **params: object) -> int:
        """Send a request, and return its id."""
        self._id += 1
        self.write(framed({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}))
        return self._id

    def notify(self, method: str, /, **params: object) -> None:
        self.write(framed({"jsonrpc": "2.0", "method": method, "params": params}))

    def receive(self) -> dict[str, Any]:
        """The next answer, whatever it is about."""
        size = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            assert name == b"Content-Length"
            size = int(value)
        if not size:
            raise EOFError("the server has ended")
        return json.loads(self.process.stdout.read(size))

    def ask(self, method: str, /, **params: object) -> Any:
        """The result of a request; of a failed one, its error."""
        id = self.send(method, **params)
        answer = self.receive()
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", id)
        return answer["result"] if "result" in answer else answer["error"]

    def end(self) -> tuple[int, str]:
        """Close the pipe to the server; its exit code, and what it says."""
        _, said = self.process.communicate()
        return self.process.returncode, said.decode()
