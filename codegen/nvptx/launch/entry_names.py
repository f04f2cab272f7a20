"""The names of entries in PTX, which allows fewer characters than Tile IR.

A symbol that is a valid name in PTX is kept. In any other, each invalid character becomes `_`, as
with other compilers; the launch plan has the name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tileir.codegen.nvptx.emit.sequences.shared_symbol import NAME as SHARED_MEMORY
from tileir.verifier.rules.names import mangled, spelled_in_ptx

OWN = ("__assertfail", "free", "malloc", "vprintf", SHARED_MEMORY)
"""Names that generated code uses itself."""


def entry_names(symbols: Iterable[str]) -> list[str]:
    """Return a name in PTX for each entry of a module, all of them different."""
    symbols = list(symbols)
    taken = {*OWN, *filter(_kept, symbols)}
    names = []
    for symbol in symbols:
        name = symbol
        if not _kept(symbol):
            name = mangled(symbol)
            while name in taken or not _kept(name):
                name = f"_{name}"
            taken.add(name)
        names.append(name)
    return names


def twin_name(name: str, taken: Collection[str]) -> str:
    """Return the name of the twin of an entry, which no other entry has."""
    twin = f"{name}_without_tensor_maps"
    while twin in taken:
        twin = f"_{twin}"
    return twin


def _kept(symbol: str) -> bool:
    return spelled_in_ptx(symbol) and symbol not in OWN
