"""What a command made of its input: right, refused or a defect."""

from __future__ import annotations

import re

from .running import CPU_S, Ended

SLOW_S = 60
"""CPU seconds from which on a command on one file is to be looked at."""

REFUSED = range(1, 6)
"""Exit codes of what is refused, as `tileir/command_line/exit_codes.py` has them."""

RIGHT, NO, DEFECT, UNASKED = "right", "refused", "defect", "unasked"

_TRACEBACK = re.compile(r"Traceback|Error: .*\(this is a defect")


def fault(ended: Ended) -> str:
    """Return what no command may do whatever it is given, "" if nothing of it happened."""
    if ended.code < 0:
        return f"ended by signal {-ended.code}"
    if ended.code >= 70:  # a defect, or a signal that a shell tells
        return f"exit code {ended.code}: {told(ended)}"
    if _TRACEBACK.search(ended.err):
        return f"a traceback: {told(ended)}"
    if ended.seconds > min(SLOW_S, CPU_S):
        return f"{ended.seconds:.0f} CPU seconds"
    return ""


def refusal(ended: Ended) -> str:
    """Return what is wrong with a refusal, "" if it is one: a code, and a message.

    With --json, `run` prints an object with the message.
    """
    if ended.code not in REFUSED:
        return f"exit code {ended.code}"
    said = ended.err.strip() or (ended.out.startswith(b"{") and b'"error"' in ended.out)
    return "" if said else f"exit code {ended.code} without a word"


def told(ended: Ended) -> str:
    """The line that says what is wrong: the last one that is not of a source."""
    lines = [line for line in ended.err.splitlines() if line and not line.startswith(" ")]
    return (lines or [ended.out.decode(errors="replace")])[-1][:300]
