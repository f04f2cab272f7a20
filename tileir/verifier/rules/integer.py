"""Rules about integer arithmetic."""

from __future__ import annotations

from tileir.ir import Op
from tileir.verifier.catalogue import rule


@rule("divi-rounding", "divi", hint="use zero or positive_inf, or divide as signed")
def _divi(op: Op) -> str | None:
    """An unsigned division cannot round to negative infinity, which is what zero does there."""
    if (op.attributes["rounding"], op.attributes["signedness"]) == ("negative_inf", "unsigned"):
        return "rounding mode 'negative_inf' is not allowed with 'unsigned' flag"
    return None
