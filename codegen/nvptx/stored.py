"""Compilations for GPUs as bytes: what the cache keeps of one.

Its launch plans are JSON; each of its texts (PTX, LLVM IR) is compressed, in an entry of its own,
as it may be made later than the plans. None of it is code of this machine, and all of it is checked
when it is read: it may come from somebody else.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from tileir.codegen.cache.key import LAUNCH_PLAN, LLVM_IR, PTX, PTX_WITHOUT_TWINS
from tileir.launch.plan_form import check_plan
from tileir.launch.stored_values import conforms

_FASTEST_LEVEL = 1
_LONGEST = 1 << 28
"""Bytes of the longest text, or of plans, that are read: a damaged file may promise any number."""
_GROWTH, _ALLOWANCE = 100, 1 << 16
"""How many times its own bytes a text from elsewhere may have, beyond 64 KiB; PTX has ten."""

_FORM = {"plans": dict, "twins": [str], "apart": bool}


class StoredPlans(NamedTuple):
    """The launch plans of a module by symbol, its twins, and whether others do without these."""

    plans: Mapping[str, Any]
    twins: frozenset[str]
    apart: bool

    def to_bytes(self) -> bytes:
        """Serialise; `from_bytes` reads it."""
        tree = {"plans": dict(self.plans), "twins": sorted(self.twins), "apart": self.apart}
        return json.dumps(tree, separators=(",", ":")).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> StoredPlans:
        """Read what `to_bytes` wrote; ValueError for anything else."""
        try:
            tree: Any = json.loads(data) if len(data) <= _LONGEST else None
        except RecursionError as error:
            raise ValueError(str(error)) from None
        if not conforms(tree, _FORM):
            raise ValueError("no launch plans")
        for plan in tree["plans"].values():
            check_plan(plan)
        return cls(tree["plans"], frozenset(tree["twins"]), tree["apart"])


def text_to_bytes(text: str) -> bytes:
    """Serialise a text; `text_from_bytes` reads it."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _FASTEST_LEVEL)


def text_from_bytes(data: bytes, most: int = _LONGEST) -> str | None:
    """Read what `text_to_bytes` wrote; None for anything else, and for more than `most` bytes."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(data, most).decode("utf-8", "surrogatepass")
        return text if reader.eof and not reader.unused_data else None
    except (zlib.error, UnicodeDecodeError):
        return None


def _plans_again(data: bytes) -> bytes:
    """Return plans as this release writes them; ValueError if they are none."""
    return StoredPlans.from_bytes(data).to_bytes()


def _text_again(data: bytes) -> bytes:
    """Return a text as this release writes it; ValueError if it is none."""
    text = text_from_bytes(data, min(_LONGEST, _GROWTH * len(data) + _ALLOWANCE))
    if text is None:
        raise ValueError("it holds no text")
    text.encode()  # ValueError for half of a character, which nobody could write into a file
    return text_to_bytes(text)


READERS = {
    LAUNCH_PLAN: _plans_again,
    PTX: _text_again,
    PTX_WITHOUT_TWINS: _text_again,
    LLVM_IR: _text_again,
}
"""Kind of what may come from elsewhere -> a function that reads it, and writes it anew."""
