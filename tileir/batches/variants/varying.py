"""`variants`: every configuration of a space compiled, ordered, or dropped with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import tileir
from tileir.batches.batching import MEMORY, SECONDS
from tileir.batches.dispatch import Dispatcher
from tileir.batches.executors import Maker, place_of
from tileir.batches.jobs import Chunk, Job, Jobs, Limits, Work, hashes_of
from tileir.batches.protocol import Response
from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import UsageError
from tileir.commands.modules import module_in
from tileir.errors import TileIRError, ToolError, UnsupportedError
from tileir.supervisor.memory import LIMITED
from tileir.verifier.rules.targets import check_target

from .figures import OCCUPANCY, figures_of, order, unfit
from .measuring import MEASURE, MISSING
from .space import Configuration, configurations, divided
from .table import lines

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tileir.codegen.compilation import Compilation

FRONTEND = "frontend"
"""The failure of a variant of whose constants no module was made."""


@dataclass(frozen=True)
class Variant:
    """A configuration that can be launched.

    configuration  name -> the value chosen, of options and of the frontend's constants
    target         what it was compiled for
    module         the bytes of its module: bytecode, or the text as it was given
    options        the options of `tileir.compile`, those for all variants among them
    figures        `FIGURES` of it, by name; {} for the host
    kernels        what its kernels take, as `tileir resources --json` has it
    """

    configuration: Configuration
    target: str
    module: bytes = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    figures: Mapping[str, int]
    kernels: Sequence[Mapping[str, Any]] = field(repr=False)

    def compile(self) -> Compilation[Any]:
        """Compile it in this process, as a rule by a look into the cache; with `ptx`, `plan` ..."""
        return tileir.compile(module_in(self.module, "the module"), self.target, **self.options)


@dataclass(frozen=True)
class Dropped:
    """A configuration that cannot be launched.

    failure  the class of an error, such as UnsupportedError, ToolError if ptxas refused it; what
             became of the process that compiled it, ``time``, ``memory`` or ``crash``;
             ``occupancy`` if no block fits an SM; ``frontend`` if there is no such module
    reason   the same as a sentence
    """

    configuration: Configuration
    failure: str
    reason: str


class Variants(Sequence[Variant]):
    """Variants in their order, as a sequence; `dropped` has the others, with their reasons.

    `str` is a table of all.
    """

    def __init__(self, found: Sequence[Variant], dropped: Sequence[Dropped]) -> None:
        self._found, self.dropped = tuple(found), tuple(dropped)

    @overload
    def __getitem__(self, index: int) -> Variant: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Variant]: ...
    def __getitem__(self, index: int | slice) -> Variant | Sequence[Variant]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<Variants: {len(self)}, and {len(self.dropped)} dropped>"

    def __str__(self) -> str:
        rows = [(each.configuration, each.figures) for each in self]
        return "\n".join(lines(rows, [(each.configuration, each.reason) for each in self.dropped]))


def variants(
    module: Bytecode | ReadableBuffer | str | Callable[..., Bytecode | ReadableBuffer | str],
    target: str,
    space: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
    *,
    executor: Executor | Maker | str | None = None,
    workers: int | None = None,
    seconds: float | None = SECONDS,
    memory: int | None = MEMORY << 20 if LIMITED else None,
    **options: Any,
) -> Variants:
    """Compile one kernel in many ways, and return the variants ordered by what they take.

    module   a module (a Bytecode, or the bytes or the text of one); or a function that makes the
             module for constants, which it gets by their names. It is called in this thread, one
             configuration after the other, and raises ValueError or a TileIRError for constants
             of which there is no kernel; what else it raises is raised
    target   a GPU such as ``sm_90``, or ``host``
    space    name -> values to choose among, all of them with each other; or an iterable of
             configurations, each a mapping from names to values. Options of `tileir.compile` are
             the compiler's, other names are constants of the function
    executor, workers, seconds, memory   where it is done, and what one variant may take, as for
             `tileir.batch`: any `concurrent.futures.Executor`, and by default a child process for
             each CPU
    options  of `tileir.compile`, for all variants; what the space chooses takes precedence

    The order, for a GPU: fewer bytes of spilled registers first; then more warps resident on an
    SM; fewer instructions that a block issues for a trip of its main loop; fewer registers; less
    shared memory; at last the order of the space. All of that is read from the machine code of
    ptxas; of several kernels the worst one counts. It is no timing and no estimate of one: a
    variant with less occupancy is often faster, and trips of different tile sizes are different
    amounts of work. It says what to time first, and what need not be timed. For the host there are
    no such figures, and the order is that of the space.

    Dropped is, with the reason, what cannot be compiled or launched: options that contradict each
    other, what is not supported, what ptxas refuses, what fits no SM, what takes more than
    `seconds` or `memory` to compile.

    Raises UnsupportedError for an unknown target and for a name that is neither an option nor
    anybody's constant, TypeError or ValueError for a space that is none, ToolError where ptxas or
    nvdisasm are not installed, MissingPackageError where a package is not.
    """
    check_target(target)
    make = module if callable(module) else None
    data = b"" if make else as_bytes(module)
    limits = Limits(seconds, memory)
    asked = _Asked(list(configurations(space)), make, data, target, options, limits)
    with _named():
        dispatcher = Dispatcher(place_of(executor, workers))
    try:
        for completed in dispatcher.responses(asked.chunks()):
            for job, response in completed:
                asked.take(job, Response.unpacked(response))
    finally:
        dispatcher.stop()
    return asked.variants()


@dataclass
class _Asked:
    """The configurations of a space: `chunks` of them go out, and what comes back is taken.

    make     makes the module for constants; None if there is one module, which has these bytes
    options  of `tileir.compile`, for all variants
    """

    configurations: Sequence[Configuration]
    make: Callable[..., Any] | None
    data: bytes
    target: str
    options: Mapping[str, Any]
    limits: Limits
    _found: dict[int, Variant] = field(default_factory=dict)
    _dropped: dict[int, Dropped] = field(default_factory=dict)
    _under_way: dict[str, tuple[int, Work]] = field(default_factory=dict)
    """Name of a job -> the place of its configuration, and what is done with the module."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield a chunk for each configuration; those are dropped of which there is no module."""
        for number, configuration in enumerate(self.configurations):
            chosen, constants = divided(configuration, self.make is not None)
            try:
                module = as_bytes(self.make(**constants)) if self.make else self.data
            except (ValueError, TileIRError) as error:
                self._dropped[number] = Dropped(
                    configuration, FRONTEND, str(error) or type(error).__name__
                )
                continue
            work = Work("variant", {**self.options, **chosen})
            parts = (module,)
            job = Jobs(work, self.target).job(f"variant {number}", parts, hashes_of(parts))
            self._under_way[job.name] = number, work
            yield Chunk(work, self.limits, MEASURE, [job])

    def take(self, job: Job, response: Response) -> None:
        """Take the response to a job; raises what is the fault of the machine."""
        number, work = self._under_way.pop(job.name)
        came = _outcome(self.configurations[number], work, job, response)
        if isinstance(came, Variant):
            self._found[number] = came
        else:
            self._dropped[number] = came

    def variants(self) -> Variants:
        """Return what was taken: variants in their order, and what was dropped in that asked."""
        found, dropped = self._found, self._dropped
        ordered = sorted(found, key=lambda number: (*order(found[number].figures), number))
        return Variants(
            [found[number] for number in ordered], [dropped[number] for number in sorted(dropped)]
        )


def as_bytes(module: Any) -> bytes:
    """Return the bytes that travel for a module; a text keeps its attributes about launches.

    UnsupportedError for a module that has such attributes, which bytecode cannot hold.
    """
    if isinstance(module, str):
        return module.encode("utf-8", "surrogateescape")
    if isinstance(module, Bytecode):
        lost = ", ".join(module.launch_attributes.spelled())
        if lost:
            raise UnsupportedError(f"bytecode cannot hold {lost}: give the text of the module")
        return module.build(check=False)
    return bytes(memoryview(module))


def _outcome(
    configuration: Configuration, work: Work, job: Job, response: Response
) -> Variant | Dropped:
    """Return what came of a configuration; raise what is the fault of the machine."""
    if response.failure == MISSING:
        raise ToolError(response.message)
    if response.failure:
        return Dropped(configuration, response.failure, response.message)
    kernels, target = response.result, job.target or ""
    if reason := unfit(kernels, target):
        return Dropped(configuration, OCCUPANCY, reason)
    figures = figures_of(kernels)
    return Variant(configuration, target, job.parts[0], work.options, figures, kernels)


@contextmanager
def _named() -> Iterator[None]:
    """Turn an error about the use of a command into one about an argument."""
    try:
        yield
    except UsageError as error:
        raise ValueError(str(error)) from None
