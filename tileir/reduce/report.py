"""What came of a reduction, for a report of a defect and for programs."""

from __future__ import annotations

import base64
import textwrap
from typing import Any

import tileir
from tileir.bytecode import Bytecode
from tileir.doctor.packages import installed
from tileir.errors import TileIRError
from tileir.messages.texts import printable

from .measure import Measure
from .reduction import Reduced
from .table import BY_NAME

SCHEMA = 1
LAYOUT = """\
the keys of --json: schema; file; output; predicate (what holds); version (of the bytecode); before
and after, each with ops and bytes; trials (how often was asked); seconds; ended (finished, time or
interrupted); stable (whether it still held in the end); seen (what was seen then, or null); passes,
each with name, tries, trials, accepted and ops (that went); text (null for what has none)
"""
MOST_BYTES = 1 << 10
"""Files up to this size are in the report, too."""
PACKAGES = ("nvidia-cuda-tileiras", "nvidia-cuda-nvcc")


def text_of(data: bytes) -> str | None:
    """Return a file as text; None for a module that breaks rules in such a way that it has none."""
    try:
        return tileir.disassemble(data)
    except TileIRError:
        return None


def report(reduced: Reduced, file: str, description: str) -> str:
    """Return the text to paste into a report of a defect: comments, then the module as text."""
    bytecode, seen = Bytecode.parse(reduced.data), printable(reduced.seen)
    versions = [f"tileir {tileir.__version__}"]
    versions += [f"{name} {found}" for name in PACKAGES if (found := installed(name))]
    lines = [
        f"{description}{f' ({seen})' if seen else ''}",
        f"{file} reduced from {_size(reduced.before)} to {_size(reduced.after)}",
        f"bytecode {bytecode.version}; {', '.join(versions)}",
    ]
    if not reduced.stable:
        lines.append("UNSTABLE: asked once more, the answer was another one")
    text = text_of(reduced.data)
    if text is None or len(reduced.data) <= MOST_BYTES:
        lines.append("the file in base64:")
        lines += textwrap.wrap(base64.b64encode(reduced.data).decode(), 90)
    shown = text if text is not None else "// it breaks rules, and has no text\n"
    return "".join(f"// {line}\n" for line in lines) + shown


def _size(measure: Measure) -> str:
    return f"{measure.all_ops:,} ops ({measure.size:,} bytes)"


def document(reduced: Reduced, file: str, output: str, description: str) -> dict[str, Any]:
    """Return what `--json` prints; see `LAYOUT`."""
    return {
        "schema": SCHEMA,
        "file": file,
        "output": output,
        "predicate": description,
        "version": str(Bytecode.parse(reduced.data).version),
        "before": {"ops": reduced.before.all_ops, "bytes": reduced.before.size},
        "after": {"ops": reduced.after.all_ops, "bytes": reduced.after.size},
        "trials": reduced.trials,
        "seconds": round(reduced.seconds, 3),
        "ended": reduced.ended,
        "stable": reduced.stable,
        "seen": reduced.seen or None,
        "passes": [
            {
                "name": name,
                "tries": BY_NAME[name].tries,
                "trials": row.trials,
                "accepted": row.accepted,
                "ops": row.ops,
            }
            for name, row in reduced.rows.items()
        ],
        "text": text_of(reduced.data),
    }
