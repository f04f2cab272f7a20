"""A child of a batch that does what a module tells it to, as hostile modules might.

    python -m tests.tileir.batches.planted verify ...

is `tileir batch` with such children. With SILENT in the environment, Dask forgets to tell of what
is under way when the scheduler is lost, as it does of results that it is fetching then.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.tileir.supervisor import planted
from tileir.__main__ import main
from tileir.batches import command
from tileir.batches.batching import Batch
from tileir.batches.protocol import Request, Response

RESPOND = (
    f"{__name__}:respond" if __name__ != "__main__" else "tests.tileir.batches.planted:respond"
)
SILENT = "TILEIR_TESTS_SILENT"


def respond(data: bytes) -> bytes:
    """Do the deed that a module names, and return its size."""
    request = Request.unpacked(data)
    (module,) = request.parts
    word, _, rest = module.partition(b" ")
    if word in DEEDS:
        DEEDS[word](Path(rest.decode()))
    elif word in planted.DEEDS:
        planted.obey(module)
    return Response(result={"size": len(module)}).packed()


def _end(mark: Path, pid: int, number: int) -> None:
    """Send a process a signal if there is no file yet, and see to it that there is one then."""
    if not mark.exists():
        mark.write_text("")
        os.kill(pid, number)
        time.sleep(1000)


def _end_named(mark: Path) -> None:
    """Kill the process that a file names, and remove the file; nothing if there is none."""
    if mark.exists():
        pid = int(mark.read_text())
        mark.unlink()
        os.kill(pid, signal.SIGKILL)


DEEDS = {
    b"kill-named": _end_named,
    b"kill-me-once": lambda mark: _end(mark, os.getpid(), signal.SIGKILL),
    b"kill-parent-once": lambda mark: _end(mark, os.getppid(), signal.SIGKILL),
    b"interrupt-parent": lambda mark: _end(mark, os.getppid(), signal.SIGINT),
}
"""First word of a module -> what is done; the rest names a file, which says whether it has been."""


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the batches of this process have such children."""
    monkeypatch.setattr(command, "Batch", partial(Batch, function=RESPOND))


def _silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Dask tell nothing of what is cancelled."""
    from distributed import cfexecutor

    tell: Any = cfexecutor._cascade_future

    async def silent(asked: Any, told: Any) -> None:
        await asked._result(raiseit=False)
        if asked.status != "cancelled":
            await tell(asked, told)

    monkeypatch.setattr(cfexecutor, "_cascade_future", silent)


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        if SILENT in os.environ:
            _silence(patch)
        sys.exit(main(["batch", *sys.argv[1:]]))
