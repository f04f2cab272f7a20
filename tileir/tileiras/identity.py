"""What `--version` prints. Frontends make it a part of the keys of their caches.

So it begins with our name, which no output of NVIDIA's tileiras does, and changes with everything
that changes a cubin and is in no key otherwise: our sources, LLVM, ptxas, the launcher's options.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

import tileir
from tileir.formats.version import SUPPORTED
from tileir.tools import nvidia

_DIGITS = 16
"""Digits of the hash of our sources that are printed."""


def version_text(options: Mapping[str, object]) -> str:
    """Return the answer to --version for a launcher with these options of `tileir.compile`.

    The second line has a number with a V in front because cuTile.jl looks for one: it is the
    newest version of bytecode that is read, as that of NVIDIA's tileiras is.
    """
    newest = SUPPORTED[-1]
    parts = [
        f"sources {_sources()}",
        f"llvmlite {_llvmlite()}",
        f"ptxas {_ptxas()}",
        f"options {_spelled(options)}",
    ]
    return "\n".join(
        [
            f"tileir {tileir.__version__} in the place of tileiras, compile-only",
            f"Tile IR bytecode up to V{newest}.0",
            "; ".join(parts),
        ]
    )


def _spelled(options: Mapping[str, object]) -> str:
    given = (f"{name}={value}" for name, value in sorted(options.items()))
    return ", ".join(given) or "none"


def _sources() -> str:
    from tileir.codegen.cache.own_code import digest

    return (digest() or "unknown")[:_DIGITS]


def _ptxas() -> str:
    path = nvidia.find("ptxas")
    return "none" if path is None else nvidia.release_of(path) or str(path)


def _llvmlite() -> str:
    try:
        return version("llvmlite")
    except PackageNotFoundError:
        return "none"
