"""What compiling gives: kernels by their symbols, and what there is to read of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from tileir.errors import UnsupportedError
from tileir.messages.texts import display

if TYPE_CHECKING:
    from tileir.types import Element

    from .stage import Stage


_LAUNCHED_WITH = {
    "threads": "the host", "allocations": "the host", "progress": "the host",
    "on_trace": "the host", "print_assertions": "the host", "stream": "a GPU",
}  # fmt: skip
"""What a launch takes on one kind of target only -> which."""

_NOT_PICKLED = "a compiled kernel cannot be pickled; pickle the bytecode and compile it again"


class Compiled:
    """One entry, compiled: its symbol, and the element types of its parameters in order.

    Targets add how it is run.
    """

    def __init__(self, symbol: str, elements: Iterable[Element]) -> None:
        self.symbol = symbol
        self.elements = tuple(elements)

    def __repr__(self) -> str:
        parameters = ", ".join(map(str, self.elements))
        return f"<{type(self).__name__} {display(self.symbol)}({parameters})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(_NOT_PICKLED)

    def launch(self, grid: int | Sequence[int], args: Sequence[Any]) -> None:
        """Run the kernel on a grid of up to three extents."""
        raise UnsupportedError(f"{self.symbol}: this target cannot run kernels")

    def refuse(self, names: Iterable[str]) -> None:
        """TypeError if `launch` was given names that it does not take."""
        for name in names:
            owner = _LAUNCHED_WITH.get(name)
            taken = f", which kernels compiled for {owner} take" if owner else ""
            raise TypeError(f"launch() got an unexpected keyword argument {name!r}{taken}")


class Compilation(Mapping[str, Compiled]):
    """A compiled module: the symbol of an entry -> the compiled entry.

    `llvm_ir` is the module as it was handed to LLVM. `ptx` and `plan` (entry symbol -> how to
    launch it) are what a GPU target makes of it; on the host they are None and empty.
    """

    again: Callable[[], dict[str, Stage]] | None = None
    """Compiles once more, and tells."""

    def __init__(
        self, target: str, entries: Mapping[str, Compiled], llvm_ir: str,
        ptx: str | None = None, plan: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.target = target
        self.llvm_ir = llvm_ir
        self.ptx = ptx
        self.plan = dict(plan or {})
        self._entries = dict(entries)

    @cached_property
    def stages(self) -> Mapping[str, Stage]:
        """What each stage of compiling did, by its name, in order, from Tile IR to the end.

        It is found out when it is first asked for, by compiling once more: from the module as it is
        then, wherever this compilation came from.
        """
        return self.again() if self.again else {}

    def __getitem__(self, symbol: str) -> Compiled:
        try:
            return self._entries[symbol]
        except KeyError:
            known = ", ".join(self._entries) or "none"
            raise KeyError(f"no entry {symbol!r}; there are: {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target}: {', '.join(self)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(_NOT_PICKLED)
