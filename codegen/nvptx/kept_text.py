"""The text of a compilation for a GPU: found in the cache, or made when it is first asked for.

Plans are known at once. Where a module has twins, its text is not made before somebody wants it:
for a launch of another entry, without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tileir.codegen.cache.key import LLVM_IR, PTX, PTX_WITHOUT_TWINS
from tileir.codegen.cache.slot import Slot
from tileir.formats.forks import Lock

from .stored import text_from_bytes, text_to_bytes


class Maker(Protocol):
    """What makes the text: `text.Text`, or the text of the same module compiled once more."""

    def whole(self) -> tuple[str, str]:
        """Return PTX and LLVM IR of all entries."""
        ...

    def without_twins(self) -> str:
        """Return the PTX of all entries but twins."""
        ...


class KeptText:
    """PTX and LLVM IR of a module; several threads may ask at once.

    `twins` are the entries that are twins, and if these stand `apart`, others can do without them.
    `maker` returns what makes the text; it is called at most once, and only for what is not in the
    cache, beside the launch plans in `slot`.
    """

    def __init__(
        self,
        twins: frozenset[str],
        apart: bool,
        maker: Callable[[], Maker],
        slot: Slot | None = None,
    ) -> None:
        self.twins, self.apart = twins, apart
        self._maker: Callable[[], Maker] | None = maker
        self._made: Maker | None = None
        self._slot = slot
        self._lock = Lock()
        self._texts: dict[str, str] = {}
        """Kind of entry in the cache -> the text, as far as it is known."""

    def keep(self, slot: Slot) -> None:
        """Keep in the cache what is known, and what will be."""
        with self._lock:
            self._slot = slot
            self._put(self._texts)

    def whole(self) -> tuple[str, str]:
        """Return PTX and LLVM IR of all entries."""
        return self.ptx(), self.llvm_ir()

    def ptx(self) -> str:
        """Return the PTX of all entries."""
        return self._text(PTX)

    def llvm_ir(self) -> str:
        """Return the LLVM IR of all entries, before optimisation."""
        return self._text(LLVM_IR)

    def without_twins(self) -> str:
        """Return the PTX of all entries but twins; that of all, if it is there and this is not."""
        with self._lock:
            if PTX in self._texts:
                return self._texts[PTX]
            there = self._found(PTX_WITHOUT_TWINS) or not self._found(PTX)
            return self._text(PTX_WITHOUT_TWINS if there else PTX)

    def ptx_with(self, entry: str) -> str:
        """Return PTX that has an entry: without twins where they are not needed."""
        return self.ptx() if entry in self.twins or not self.apart else self.without_twins()

    def _text(self, kind: str) -> str:
        with self._lock:
            if not self._found(kind):
                texts = self._make(kind)
                self._texts |= texts
                self._put(texts)
            return self._texts[kind]

    def _found(self, kind: str) -> bool:
        """Whether a text is known, by a look into the cache if need be."""
        if kind not in self._texts and self._slot is not None:
            stored = self._slot.beside(kind).get()
            text = None if stored is None else text_from_bytes(stored)
            if text is not None:
                self._texts[kind] = text
        return kind in self._texts

    def _make(self, kind: str) -> dict[str, str]:
        """Make a text, and what comes with it."""
        if self._made is None:
            assert self._maker is not None
            self._made = self._maker()
        if kind == PTX_WITHOUT_TWINS:
            return {kind: self._made.without_twins()}
        ptx, llvm_ir = self._made.whole()
        self._maker = self._made = None  # everything has been made
        return {PTX: ptx, LLVM_IR: llvm_ir}

    def _put(self, texts: dict[str, str]) -> None:
        slot = self._slot
        if slot is not None:
            for kind, text in texts.items():
                slot.beside(kind).put(text_to_bytes(text))
