"""The front process of `tileir serve`: it reads requests, has workers answer them, kills workers.

One thread reads. Each worker is a child process with a thread here that waits for it. What comes
from a client is only ever looked at as far as id and method; all else happens in the children.
"""

from __future__ import annotations

import contextlib
import select
import sys
import threading
from dataclasses import dataclass
from typing import BinaryIO

from tileir import __version__
from tileir.command_line.exit_codes import DEFECT, OUTSIDE
from tileir.errors import WorkerError
from tileir.formats.version import SUPPORTED
from tileir.gpus import TARGETS
from tileir.supervisor import Supervisor

from . import requests
from .framing import FramingError, TooLong, read_message, write_message
from .methods import METHODS
from .requests import Request, RequestError
from .waiting import Waiting

PROTOCOL = 1
"""Grows when a method, parameter or member of a result goes or means something else."""

ANSWER = "tileir.serve.answers:answer"
MOST_ANSWER = 64 << 20
"""Bytes of the longest answer."""
CALLS = 1000
"""After so many requests a worker is replaced: LLVM keeps some of what it has ever seen."""

_CODES = {
    "time": -32010,
    "memory": -32011,
    "crash": -32012,
    "start": -32012,
    "answer": -32013,
    "cancelled": requests.CANCELLED,
    "defect": requests.DEFECT,
}
"""Kind of a `WorkerError` -> code of the error that answers the request."""

_LOOK = 0.25
"""Seconds between two looks at whether the client still reads."""


@dataclass(frozen=True)
class Settings:
    """What one request may take: seconds, bytes of data of its process, bytes of its message."""

    seconds: float
    memory: int | None
    request: int
    workers: int = 1


class Front:
    """A server of one client, which writes to `source` and reads what is written to `drain`.

    `function` is what workers compute, as a `Supervisor` takes it: the part of an answer, given the
    message.
    """

    def __init__(
        self, source: BinaryIO, drain: BinaryIO, settings: Settings, function: str = ANSWER
    ) -> None:
        self._source, self._drain, self._settings = source, drain, settings
        self._function = function
        self._waiting = Waiting(2 * settings.request)
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._open: dict[str, Request] = {}
        """Requests without an answer, by their names."""
        self._unanswered = 0
        """Requests whose answer has not been written."""
        self._gone = False
        self._supervisors = [self._supervisor() for _ in range(settings.workers)]

    def _supervisor(self) -> Supervisor:
        limits = self._settings
        return Supervisor(
            self._function,
            seconds=limits.seconds,
            memory=limits.memory,
            answer=MOST_ANSWER,
            calls=CALLS,
        )

    def run(self) -> str:
        """Serve until the client has had enough; return what was wrong with its end, or ""."""
        threads = [
            threading.Thread(target=self._work, args=(each,), daemon=True)
            for each in self._supervisors
        ]
        for thread in threads:
            thread.start()
        try:
            last, problem = self._read()
            if not problem:
                self._finish()
            if last is not None:
                self._write(requests.answer(last.id, requests.result(None)))
            return problem
        finally:
            with self._changed:
                self._gone = True
            self._waiting.close()
            for each in self._supervisors:
                each.close()
            for thread in threads:
                thread.join()

    def _read(self) -> tuple[Request | None, str]:
        """Take requests until there are no more; return the one to shut down, and a problem."""
        while not self._gone:
            try:
                data = read_message(self._source, self._settings.request)
            except TooLong as error:
                self._refuse(RequestError(requests.INVALID_REQUEST, str(error)))
                continue
            except FramingError as error:
                self._refuse(RequestError(requests.PARSE_ERROR, f"no message: {error}"))
                return None, f"no message: {error}"
            except (EOFError, OSError):
                return None, "the input ends inside of a message"
            if data is None:
                return None, ""
            try:
                request = requests.parse(data)
            except RequestError as error:
                self._refuse(error)
                continue
            if request.method == "shutdown" and request.id is not None:
                return request, ""
            if request.method == "exit":
                with self._changed:
                    self._gone = True
                break
            self._take(request)
        return None, ""

    def _take(self, request: Request) -> None:
        """Do what a message asks for, or let a worker do it."""
        if request.method == "$/cancelRequest":
            self._cancel(request.params.get("id"))
        if request.id is None:  # nobody waits for what a notification might compute
            return
        if request.method == "version":
            self._write(requests.answer(request.id, requests.result(self._version())))
        elif request.method not in METHODS:
            text = f"there is no method {request.method[:80]!r}; there are: {', '.join(_methods())}"
            self._refuse(RequestError(requests.NO_METHOD, text, request.id))
        else:
            with self._changed:
                known = request.name in self._open
                if not known:
                    self._open[request.name] = request
                    self._unanswered += 1
            if known:
                text = f"{request.name} is under way"
                self._refuse(RequestError(requests.INVALID_REQUEST, text, request.id))
            else:
                request.params = {}  # the message has them, too
                self._waiting.put(request)

    def _cancel(self, id: object) -> None:
        """End the request of an id, if it is under way."""
        if not requests.is_id(id):
            return
        name = Request(id, "", {}).name
        with self._changed:
            request = self._open.get(name)
        if request is not None:
            request.cancelled.set()
            for each in self._supervisors:
                each.cancel(name)

    def _work(self, supervisor: Supervisor) -> None:
        """Have one child answer requests, one after the other."""
        while (request := self._waiting.take()) is not None:
            try:
                part = supervisor.call(request.data, request.name, request.cancelled)
            except WorkerError as error:
                part = _failure(error)
            with self._changed:
                del self._open[request.name]  # once it is answered, its id may be used again
            self._write(requests.answer(request.id, part))
            with self._changed:
                self._unanswered -= 1
                self._changed.notify_all()

    def _finish(self) -> None:
        """Wait until everything is answered, or nobody reads answers any more."""
        with self._changed:
            while self._unanswered and not self._gone and not _is_closed(self._drain):
                self._changed.wait(_LOOK)

    def _refuse(self, error: RequestError) -> None:
        self._write(requests.answer(error.id, requests.error(error.code, str(error))))

    def _write(self, message: bytes) -> None:
        with self._writing:
            if self._gone:
                return
            try:
                write_message(self._drain, message)
            except (OSError, ValueError):
                with self._changed:
                    self._gone = True
                    self._changed.notify_all()
                self._waiting.close()

    def _version(self) -> dict[str, object]:
        limits = self._settings
        return {
            "tileir": __version__,
            "protocol": PROTOCOL,
            "bytecode": list(map(str, SUPPORTED)),
            "targets": [*TARGETS, "host"],
            "methods": _methods(),
            "limits": {
                "seconds": limits.seconds,
                "memory": limits.memory,
                "request": limits.request,
                "answer": MOST_ANSWER,
                "workers": limits.workers,
            },
        }


def _failure(error: WorkerError) -> bytes:
    """Return the part of an answer about a worker that did not answer."""
    data = {"kind": error.kind, "exit_code": DEFECT if error.kind == "defect" else OUTSIDE}
    hint = " (this is a defect of tileir)" if error.kind == "defect" else ""
    return requests.error(_CODES[error.kind], f"{error}{hint}", data)


def _methods() -> list[str]:
    return [*METHODS, "version", "shutdown"]


def _is_closed(stream: BinaryIO) -> bool:
    """Whether the reader of a pipe has closed it, as far as the system tells."""
    if sys.platform == "win32" or not hasattr(select, "poll"):
        return False
    with contextlib.suppress(OSError, ValueError):
        poll = select.poll()
        poll.register(stream, 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    return False
