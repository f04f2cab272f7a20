"""The passes of `tileir opt`: a row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tileir.bytecode import Bytecode
from tileir.errors import UnsupportedError
from tileir.messages.wording import did_you_mean

from .kernel_passes import (
    canonical_forms,
    count_loops,
    eliminate_dead_ops,
    hoist_invariants,
    share_common_ops,
)
from .strip import remove_locations, remove_names, remove_producer
from .symbols import remove_unused_symbols


class Pass(NamedTuple):
    """A pass: its name, what it does in a line, and the function, which edits a module.

    That function returns the number of its changes.
    """

    name: str
    what: str
    run: Callable[[Bytecode], int]


PASSES = {
    each.name: each
    for each in (
        Pass("canonicalise", "fold constants, apply identities; --rules has them", canonical_forms),
        Pass("count-loops", "make `for` of each `loop` that counts up to a bound", count_loops),
        Pass("cse", "let the first of equal ops compute for those behind it", share_common_ops),
        Pass("dce", "erase ops without effects that nothing uses", eliminate_dead_ops),
        Pass("hoist", "move ops out of loops that do not change them", hoist_invariants),
        Pass("strip-debug", "remove source locations", remove_locations),
        Pass("strip-names", "remove names that the host does not need", remove_names),
        Pass("strip-producer", "remove the name of the program that wrote it", remove_producer),
        Pass("symbol-dce", "remove private globals that no op uses", remove_unused_symbols),
    )
}
ALIASES = {"canonicalize": "canonicalise", "licm": "hoist", "globaldce": "symbol-dce"}
"""Names under which LLVM and MLIR have such a pass."""
DEFAULT = ("canonicalise", "cse", "hoist", "canonicalise", "dce", "symbol-dce")
"""The passes of `-O`: what makes modules smaller, and loops too."""


def named(names: Iterable[str]) -> list[Pass]:
    """Return the passes of these names, or of one. UnsupportedError for one that there is not."""
    found = []
    for name in [names] if isinstance(names, str) else names:
        known = PASSES.get(ALIASES.get(name, name))
        if known is None:
            others = f", only {', '.join(PASSES)}"
            meant = did_you_mean(name, (*PASSES, *ALIASES))
            raise UnsupportedError(f"there is no pass {name!r}{meant or others}")
        found.append(known)
    return found
