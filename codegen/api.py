"""From bytecode to something that runs: `compile`; and `stages`, which shows how it is done."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.attributes import spell
from tileir.errors import UncheckedWarning, UnsupportedError
from tileir.formats.forks import not_forking
from tileir.formats.version import LATEST
from tileir.gpus import TARGETS
from tileir.launch.compile_options import CHECKS
from tileir.messages.flags import flag

from .cache.folder import find_store
from .cache.key import bytes_of, facts_of
from .cache.slot import Slot
from .compilation import Compilation, Compiled
from .launch_terms import as_read, beyond_defaults, check_options
from .optional_stages import is_complete
from .targets import HOST, named_target, no_gpu, package_of
from .transform.locate_in_text import with_text_lines

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

    from .remarks import Remark
    from .stage import Stage
    from .stage_printer import Mark


__all__ = ["Compilation", "Compiled", "compile", "stages"]

_OUR_FRAMES = 4
"""Frames from where a request is checked to the caller of `tileir.compile`."""


def compile(
    bytecode: Bytecode,
    target: str | None = None,
    *,
    symbols: str | Iterable[str] | None = None,
    cache: bool = True,
    check: str | Iterable[str] = (),
    trace: str | Iterable[str] = (),
    count: bool = False,
    lineinfo: bool | None = False,
    portable: bool | None = False,
    **launch: object,
) -> Compilation:
    """Compile the entries of a module, or those in `symbols` (KeyError for none), for a target.

    The target is "host" or the name of a GPU architecture such as "sm_90"; if None, the one that
    the text of the module names, or else the host. Raises UnsupportedError for an unknown target
    and for ops that are not supported, VerifyError for a module that breaks rules of Tile IR. Their
    `diagnostics` list everything at once.

    Compilations are cached on disk, unless `cache` is false.

    On the host, what a kernel does can be checked while it runs, and ends the launch with a
    KernelError. `check` is one of these, or several:
    "memory"     accesses stay within the arrays of a launch and its `allocations`, and tiles start
                 within their views
    "undefined"  nothing is done whose result Tile IR leaves undefined: divisions by zero, shifts by
                 the width, numbers that do not fit an integer, indices outside of a view or a
                 tile, broken promises about overflow; and what is assumed is true
    "nan"        no op makes a NaN of operands without one, or an infinity of finite operands
    `trace` has names of values, as `tileir.disassemble` spells them: the kernel shows each when it
    has computed it. KeyError for a name that no tile has. With `count`, kernels count what they
    access and compute, and a launch gives it to its `on_counts`.

    For GPUs, `launch` has options about the launch, by the names in `launch_terms.OPTIONS`:
    num_warps, cluster_dim or num_ctas, maxnreg, minnctapersm, maxclusterrank, blocksareclusters.
    None lifts a hint, and asks nothing. TypeError for an unknown option, UnsupportedError for
    an impossible value. With `lineinfo`, the PTX says which line of source each instruction comes
    from, as far as the debug section does; for a module that was assembled from a text without
    `loc(...)`, which line of the text. A RuntimeWarning if no line is known.

    PTX for sm_90 runs on compute capability 9.0 and later, unless an entry uses a feature that only
    sm_90a has: then it is PTX for sm_90a, which runs on 9.0 alone (`Compilation.plan` says so).
    With `portable`, such features are not used. PTX for target "sm_90a" is never portable, so
    `portable` contradicts it. The same holds for all GPUs with such a form: see `tileir.gpus`.
    """
    request = _checked_request(
        bytecode,
        target,
        symbols=symbols,
        check=check,
        trace=trace,
        count=count,
        lineinfo=lineinfo,
        portable=portable,
        **launch,
    )
    kept = _kept(request) if flag("cache", cache) and is_complete() else None
    compilation: Any = kept and request.package.restore(*kept)
    if compilation is None:
        compilation = request.compiled()
        if kept:
            compilation.keep(kept[0])
    compilation.record_stages, compilation.record_remarks = request.stages, request.remarks
    return compilation


def stages(
    bytecode: Bytecode,
    target: str | None = None,
    until: str | None = None,
    *,
    mark: Mark | None = None,
    **options: Any,
) -> dict[str, Stage]:
    """Compile, and return what each stage did, in order, up to the one named `until`.

    `options` are those of `compile`. `mark` gives a comment of its own for each op of their texts.
    UnsupportedError if there is no such stage for the target.
    """
    return _checked_request(bytecode, target, **options).stages(until, mark)


class _Request(NamedTuple):
    """The checked arguments of `compile`."""

    bytecode: Bytecode
    target: str
    package: Any
    options: dict[str, Any]

    def compiled(self) -> Compilation | None:
        """Compile, whatever is in the cache."""
        with not_forking:
            from .fresh import compile_fresh  # imports far more modules than a cached kernel needs

        return compile_fresh(self.bytecode, self.target, **self.options)

    def as_it_is(self, data: bytes | memoryview) -> Callable[[], Compilation | None]:
        """Return what compiles the module of these bytes, however it is edited meanwhile."""
        data = bytes(data)
        limits, attributes = self.bytecode.limits, self.bytecode.launch_attributes
        assumed = self.bytecode.original.assumed

        def compiled() -> Compilation | None:
            module = type(self.bytecode).parse(data, limits=limits, assume_version=assumed)
            module.launch_attributes = attributes
            return self._replace(bytecode=module).compiled()

        return compiled

    def stages(self, until: str | None = None, mark: Mark | None = None) -> dict[str, Stage]:
        """Compile, and return what each stage did, up to the one named `until`."""
        with not_forking:
            from .stage_recorder import record_stages

        return record_stages(self.bytecode, self.target, self.options, until, mark=mark)

    def remarks(self) -> tuple[Remark, ...]:
        """Compile as far as decisions are made, and return the remarks on them."""
        with not_forking:
            from .stage_recorder import record_remarks

        return record_remarks(self.bytecode, self.target, self.options)


def _checked_request(
    bytecode: Bytecode,
    target: str | None,
    *,
    symbols: str | Iterable[str] | None = None,
    check: str | Iterable[str] = (),
    trace: str | Iterable[str] = (),
    count: bool = False,
    lineinfo: bool | None = False,
    portable: bool | None = False,
    **launch: object,
) -> _Request:
    """Check the arguments of `compile`; raise what it says."""
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
    with not_forking:
        package = import_module(f".{family}", __package__)
    symbols = None if symbols is None else _listed(symbols)
    checks, names = _checks(check, target), _names(trace, target)
    if flag("count", count) and target != HOST:
        raise UnsupportedError(f"kernels count on target host, not on {target}")
    if for_gpus and target == HOST:
        raise UnsupportedError(f"option {for_gpus[0]} is for GPUs, not for target host")
    if flags["portable"]:
        TARGETS[target].portable()  # raises for a form that is never portable
    options = {
        "symbols": symbols,
        "checks": checks,
        "trace": names,
        "launch": {} if target == HOST else launch,
        **{name: bool(value) for name, value in flags.items()},
        **({"count": True} if count else {}),
    }
    if bytecode.newer:
        text = (
            f"version {bytecode.version} of the bytecode is newer than {LATEST}: its kernels are "
            f"compiled as what they would be in {LATEST}"
        )
        warnings.warn(text, UncheckedWarning, stacklevel=_OUR_FRAMES)
    if flags["lineinfo"] or checks or count:
        bytecode = with_text_lines(bytecode)
    return _Request(bytecode, target, package, options)


def _listed(names: str | Iterable[str]) -> list[str]:
    """Return one or several names as a list; TypeError for anything that is not a name."""
    try:
        listed = [names] if isinstance(names, str) else list(names)
    except TypeError:
        raise TypeError(f"expected names, got {names!r}") from None
    for name in listed:
        if not isinstance(name, str):
            raise TypeError(f"expected names, got {name!r}")
    return listed


def _checks(check: str | Iterable[str], target: str) -> list[str]:
    """Return the checks asked for; UnsupportedError for an unknown one, or for a GPU."""
    wanted = sorted(set(_listed(check)))
    for name in wanted:
        if name not in CHECKS:
            known = f"{', '.join(CHECKS[:-1])} and {CHECKS[-1]}"
            raise UnsupportedError(f"there is no check {name!r}, only {known}")
    if wanted and target != HOST:
        raise UnsupportedError(f"checks are for target host, not for {target}")
    return wanted


def _names(trace: str | Iterable[str], target: str) -> list[str]:
    """Return the names of values to trace; UnsupportedError for a GPU."""
    names = _listed(trace)
    if names and target != HOST:
        raise UnsupportedError(f"traces are for target host, not for {target}")
    return names


def _kept(request: _Request) -> tuple[Slot, Callable[[], Compilation | None]] | None:
    """Return where a compilation is cached, and what compiles the module once more.

    None if it is not cached.
    """
    store = find_store(request.package.KEPT_AS)
    data = None if store is None else bytes_of(request.bytecode)
    if store is None or data is None:
        return None
    options = dict(request.options)
    if request.bytecode.original.assumed is not None:  # another than the bytes state
        options["read_as"] = str(request.bytecode.original.assumed)
    if request.target != HOST:
        said = request.bytecode.launch_attributes  # by the text; the bytes do not have them
        options |= {"launch": as_read(options["launch"]), "module": said.module}
        options["entries"] = said.entries
    facts = facts_of(data, request.target, request.package.identity(request.target), options)
    if facts is None:
        return None
    try:
        return Slot.of(store, request.package.KEPT_AS, facts), request.as_it_is(data)
    except (TypeError, ValueError):  # attributes that somebody has put there
        return None
