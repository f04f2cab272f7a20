"""From bytecode to something that runs: `compile`, and `stages`, which tells how."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.attributes import spell
from tileir.errors import UnsupportedError
from tileir.gpus import TARGETS

from .cache.folder import find_cache
from .cache.key import key_of
from .cache.store import CacheSlot
from .compilation import Compilation, Compiled
from .launch_terms import beyond_defaults, check_options
from .targets import HOST, named_target, no_gpu, package_of
from .transform.locate_in_text import with_text_lines

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

    from .stage import Stage


__all__ = ["CHECKS", "Compilation", "Compiled", "compile", "stages"]

CHECKS = ("memory", "undefined")
"""What may be checked while a kernel runs on the host."""


def compile(
    bytecode: Bytecode, target: str | None = None, *,
    symbols: str | Iterable[str] | None = None, cache: bool = True,
    check: str | Iterable[str] = (), trace: str | Iterable[str] = (), lineinfo: bool | None = False,
    portable: bool | None = False, **launch: object,
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

    PTX for sm_90 runs on 9.0 and later, unless an entry uses what only sm_90a has: then it is PTX
    for sm_90a, which runs on 9.0 alone (`Compilation.plan` says so). With `portable`, entries do
    without. PTX for target "sm_90a" is always for that alone, so `portable` contradicts it. So it
    is with all GPUs that have such a form: see `tileir.gpus`.
    """
    asked = _asked(
        bytecode,
        target,
        symbols=symbols,
        check=check,
        trace=trace,
        lineinfo=lineinfo,
        portable=portable,
        **launch,
    )
    slot = _slot(asked) if cache else None
    kept = slot and slot.get()
    if kept:
        compilation = asked.package.restore(kept)
    else:
        from .fresh import compile_fresh  # needs far more of us than what comes from the cache

        compilation = compile_fresh(asked.bytecode, asked.target, **asked.options)
        if slot:
            slot.put(compilation.to_bytes())
    compilation.again = asked.stages
    return compilation


def stages(
    bytecode: Bytecode, target: str | None = None, until: str | None = None, **options: Any
) -> dict[str, Stage]:
    """Return what each stage of a compilation does, in order, up to the one named `until`.

    `options` are those of `compile`. UnsupportedError if there is no such stage for the target.
    """
    return _asked(bytecode, target, **options).stages(until)


class _Asked(NamedTuple):
    """The arguments of `compile`, checked."""

    bytecode: Bytecode
    target: str
    package: Any
    options: dict[str, Any]

    def stages(self, until: str | None = None) -> dict[str, Stage]:
        """Return what each stage does."""
        from .watching import stages_of

        return stages_of(self.bytecode, self.target, self.options, until)


def _asked(
    bytecode: Bytecode, target: str | None, *, symbols: str | Iterable[str] | None = None,
    check: str | Iterable[str] = (), trace: str | Iterable[str] = (),
    lineinfo: bool | None = False, portable: bool | None = False, **launch: object,
) -> _Asked:  # fmt: skip
    """Check the arguments of `compile`, which says what is raised."""
    launch = check_options(launch)
    flags = {"lineinfo": lineinfo, "portable": portable}
    for name, value in flags.items():
        if value is not None and not isinstance(value, bool):
            raise UnsupportedError(f"option {name} is {spell(value)}, not true or false")
    for_gpus = [*beyond_defaults(launch), *(name for name, value in flags.items() if value)]
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
    if flags["portable"]:
        TARGETS[target].portable()  # refuses a target that cannot be
    options = {
        "symbols": symbols, "checks": checks, "trace": names,
        "launch": {} if target == HOST else launch,
        **{name: bool(value) for name, value in flags.items()},
    }  # fmt: skip
    if flags["lineinfo"] or checks:
        bytecode = with_text_lines(bytecode)
    return _Asked(bytecode, target, package, options)


def _listed(names: str | Iterable[str]) -> list[str]:
    """Return one name or several as a list; TypeError for anything else."""
    listed = [names] if isinstance(names, str) else list(names)
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"expected names, got {name!r}")
    return listed


def _checks(check: str | Iterable[str], target: str) -> list[str]:
    """Return the requested checks; UnsupportedError for an unknown one, or for another target."""
    wanted = sorted(set(_listed(check)))
    for name in wanted:
        if name not in CHECKS:
            raise UnsupportedError(f"there is no check {name!r}, only {' and '.join(CHECKS)}")
    if wanted and target != HOST:
        raise UnsupportedError(f"checks are for target host, not for {target}")
    return wanted


def _names(trace: str | Iterable[str], target: str) -> list[str]:
    """Return the names of values to trace; UnsupportedError for another target."""
    names = _listed(trace)
    if names and target != HOST:
        raise UnsupportedError(f"traces are for target host, not for {target}")
    return names


def _slot(asked: _Asked) -> CacheSlot | None:
    """Return the slot in the cache for a compilation; None if it is not cached."""
    cache, identity = find_cache(), asked.package.identity(asked.target)
    if cache is None or identity is None:
        return None
    key = key_of(asked.bytecode, identity, asked.options)
    return None if key is None else cache.slot(key)
