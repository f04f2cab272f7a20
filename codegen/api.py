"""From bytecode to something that runs: `compile` and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from tileir.attributes import spell
from tileir.errors import UnsupportedError
from tileir.messages.texts import display

from .cache.folder import find_cache
from .cache.key import key_of
from .cache.store import CacheSlot
from .launch_terms import beyond_defaults, check_options
from .targets import HOST, named_target, no_gpu, package_of
from .transform.locate_in_text import with_text_lines

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.types import Element


CHECKS = ("memory", "undefined")
"""What may be checked while a kernel runs on the host."""

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

    def __init__(
        self, target: str, entries: Mapping[str, Compiled], llvm_ir: str,
        ptx: str | None = None, plan: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.target = target
        self.llvm_ir = llvm_ir
        self.ptx = ptx
        self.plan = dict(plan or {})
        self._entries = dict(entries)

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


def compile(
    bytecode: Bytecode, target: str | None = None, *,
    symbols: str | Iterable[str] | None = None, cache: bool = True,
    check: str | Iterable[str] = (), trace: str | Iterable[str] = (), lineinfo: bool | None = False,
    **launch: object,
) -> Compilation:  # fmt: skip
    """Compile the entries of a module, or those in `symbols` (KeyError for none), for a target.

    The target is "host" or the name of a GPU architecture such as "sm_90"; if None, the one that
    the text of the module names, or else the host. Raises UnsupportedError for another one, and for
    a module with ops that are not lowered; VerifyError for one that breaks rules of Tile IR. Their
    `diagnostics` list everything at once.

    What is compiled for the host is kept on disk (see `cache_place`), and taken from there if the
    same has been compiled before, unless `cache` is false.

    On the host, what a kernel does can be checked while it runs, and ends the launch with a
    KernelError. `check` is one of these, or several:
    "memory"     accesses stay within the arrays of a launch and its `allocations`
    "undefined"  nothing is done whose result Tile IR leaves undefined: divisions by zero, shifts by
                 the width, numbers that do not fit an integer, indices outside of a view or a
                 tile, broken promises about overflow; and what is assumed is true
    `trace` has names of values, as `tileir.disassemble` spells them: the kernel shows each when it
    has computed it. KeyError for a name that no tile has.

    For GPUs, `launch` is what is asked of launches, by the names in `launch_terms.OPTIONS`:
    num_warps, cluster_dim or num_ctas, maxnreg, minnctapersm, maxclusterrank, blocksareclusters.
    None says nothing. TypeError for another name, UnsupportedError for what cannot be. With
    `lineinfo`, the PTX says which line of source each instruction comes from, as far as the debug
    section does; of a module that was assembled from a text without `loc(...)`, which line of the
    text. A RuntimeWarning if nothing is known of any.
    """
    launch = check_options(launch)
    if lineinfo is not None and not isinstance(lineinfo, bool):
        raise UnsupportedError(f"option lineinfo is {spell(lineinfo)}, not true or false")
    for_gpus = [*beyond_defaults(launch), *(["lineinfo"] if lineinfo else [])]
    if target is None:
        target = named_target(bytecode)
        if target is None and for_gpus:
            raise UnsupportedError(no_gpu(f"option {for_gpus[0]}", "a GPU as target"))
        target = target or HOST
    family = package_of(target)
    package = import_module(f".{family}", __package__)
    symbols = None if symbols is None else _listed(symbols)
    checks, names = _checks(check, target), _names(trace, target)
    if for_gpus and target == HOST:
        raise UnsupportedError(f"option {for_gpus[0]} is for GPUs, not for target host")
    options = {
        "symbols": symbols, "checks": checks, "trace": names,
        "launch": {} if target == HOST else launch, "lineinfo": bool(lineinfo),
    }  # fmt: skip
    if lineinfo or checks:
        bytecode = with_text_lines(bytecode)
    slot = _slot(bytecode, package.identity(target), options) if cache else None
    kept = slot and slot.get()
    if kept:
        return package.restore(kept)
    from .fresh import compile_fresh  # needs far more of us than what comes from the cache

    compilation = compile_fresh(bytecode, target, **options)
    if slot:
        slot.put(compilation.to_bytes())
    return compilation


def _listed(names: str | Iterable[str]) -> list[str]:
    """One name or several; TypeError for what is no name."""
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"expected names, got {name!r}")
    return listed


def _checks(check: str | Iterable[str], target: str) -> list[str]:
    """The checks that are asked for; UnsupportedError for what is none, or for another target."""
    wanted = sorted(set(_listed(check)))
    for name in wanted:
        if name not in CHECKS:
            raise UnsupportedError(f"there is no check {name!r}, only {' and '.join(CHECKS)}")
    if wanted and target != HOST:
        raise UnsupportedError(f"checks are for target host, not for {target}")
    return wanted


def _names(trace: str | Iterable[str], target: str) -> list[str]:
    """The names of values to trace; UnsupportedError for another target."""
    names = _listed(trace)
    if names and target != HOST:
        raise UnsupportedError(f"traces are for target host, not for {target}")
    return names


def _slot(bytecode: Bytecode, identity: str | None, options: dict[str, Any]) -> CacheSlot | None:
    """Where a compilation is kept, None if it is not."""
    cache = find_cache()
    if cache is None or identity is None:
        return None
    key = key_of(bytecode, identity, options)
    return None if key is None else cache.slot(key)
