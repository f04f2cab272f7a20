"""The words of the text that mean something by themselves, for whatever colours or completes it."""

from __future__ import annotations

import re

from tileir.formats.ops import OPS
from tileir.formats.types import TYPE

MNEMONICS = sorted({re.escape(name) for op in OPS for name in (op.mnemonic, *op.aliases)})
"""Every op of the table, by its present and its former names, as patterns."""

TYPES = sorted(re.escape(record.name) for record in TYPE.arms.values())
"""Every type, element types included, as patterns."""

END = r"(?![A-Za-z0-9_.$])"
"""What follows a whole word."""

OP = rf"(?:cuda_tile\.)?(?:{'|'.join(MNEMONICS)}){END}"
"""An op, where one may start: some mnemonics are also words in the syntax of other ops."""

TYPE_NAME = rf"(?:!?cuda_tile\.)?(?:{'|'.join(TYPES)})"
"""A type, or its name before its parameters."""
