"""What the child process does: a request comes in, it computes the verb, a response goes out.

What is wrong with the module is a response, too, with the message that the command would print.
"""

from __future__ import annotations

import time
import warnings

from tileir.command_line.exit_codes import UsageError, explained
from tileir.errors import TileIRError
from tileir.messages.texts import printable

from .protocol import Request, Response
from .verbs import find

RESPOND = f"{__name__}:respond"
"""`respond`, as a supervisor wants functions."""


def respond(data: bytes) -> bytes:
    """Return the bytes of the response to a request.

    What is raised is a defect, or a lack of memory: the supervisor replaces this process then.
    """
    request = Request.unpacked(data)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = find(request.verb).compute(request)
        except (TileIRError, UsageError) as error:
            message, code = explained(error)
            kind = "usage" if isinstance(error, UsageError) else type(error).__name__
            made = Response(code, kind, "\n".join(map(printable, message.split("\n"))))
    made.warnings = [*made.warnings, *(printable(str(each.message)) for each in caught)]
    made.seconds = round(time.perf_counter() - started, 6)
    return made.packed(request.files)
