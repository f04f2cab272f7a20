"""Commands as programs, but in the process of the test: starting Python takes longer than they do.

That they also work as programs of their own, and with streams that are closed, is tested with real
ones: in tests/test_packaging.py, tests/docs/test_pages.py and where a test says so.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from subprocess import CompletedProcess


def call(
    main: Callable[[Sequence[str]], int], *arguments: object, data: bytes | None = None
) -> CompletedProcess[str]:
    """What `main` returns and prints, with `data` on standard input."""
    done = call_bytes(main, *arguments, data=data)
    return CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def fails(done: CompletedProcess[str], code: int, message: str, lines: int = 1) -> None:
    """Check that a command ended so, with a message of so many lines (0: any) that has this."""
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == lines or lines == 0


def call_bytes(
    main: Callable[[Sequence[str]], int], *arguments: object, data: bytes | None = None
) -> CompletedProcess[bytes]:
    """`call` for output that is not UTF-8, or has other ends of lines."""
    given = list(map(str, arguments))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data or b""), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(given)
    except SystemExit as ended:  # as argparse does after --help
        code = ended.code or 0
    finally:
        sys.stdin = stdin
    out.flush()
    err.flush()
    return CompletedProcess(given, code, out.buffer.getvalue(), err.buffer.getvalue())
