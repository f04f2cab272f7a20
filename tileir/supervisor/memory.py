"""The limit of a process's memory, which the kernel keeps: Linux' RLIMIT_DATA.

It counts what is private and writable, so neither LLVM's hundred megabytes of code nor address
space that is only reserved, as RLIMIT_AS does (a child that has done nothing has 310 MB of address
space, 100 of data and 80 resident). It is checked at each allocation: nothing is overshot and
nobody polls, as somebody who looks at resident memory now and then would have to, and what runs out
is the one process that asked. Python raises MemoryError then; LLVM ends the process.

macOS and Windows do not keep this limit: there, none can be asked for.
"""

from __future__ import annotations

import sys

from tileir.errors import UnsupportedError
from tileir.formats.forks import not_forking

LIMITED = sys.platform == "linux"
"""Whether this system keeps a limit of memory."""


def check_memory(limit: int | None) -> None:
    """Raise UnsupportedError for a limit that this system does not keep."""
    if limit is not None and not LIMITED:
        raise UnsupportedError(f"memory of a process cannot be limited on {sys.platform}")


def limit_memory(limit: int | None) -> None:
    """Limit this process to so many bytes of data for the rest of its life; None: not at all.

    What it leaves when it crashes is limited in any case: no image of its memory.
    """
    if sys.platform == "win32":
        return
    with not_forking:
        import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limit is not None and LIMITED:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
