"""The methods that workers answer, and the parameters of each; `answers` computes them."""

from __future__ import annotations

from .parameters import BYTES, FLAG, OPTIONS, TEXT, TEXTS, Parameter

METHODS: dict[str, dict[str, Parameter]] = {
    "verify": {"module": BYTES, "target": TEXT, "strict": FLAG},
    "dis": {"module": BYTES, "debug": FLAG, "function": TEXT},
    "as": {"text": BYTES, "version": TEXT},
    "inspect": {
        "module": BYTES, "function": TEXT, "section": TEXT, "full": FLAG, "strict": FLAG,
    },
    "compile": {
        "module": BYTES, "targets": TEXTS._replace(needed=True), "emit": TEXTS, "options": OPTIONS,
    },
}  # fmt: skip
"""Method -> its parameters by their names."""
