"""A batch: modules in, results out, and a manifest and a folder of files on the way."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import USAGE, UsageError
from tileir.messages.texts import display, printable
from tileir.messages.urls import without_secrets
from tileir.supervisor.memory import LIMITED
from tileir.verifier.rules.targets import check_target

from .child import RESPOND
from .dispatch import Completed, Dispatcher
from .executors import Maker, Place, place_of
from .jobs import Chunk, Job, Jobs, Limits, Pace, Work, chunks, hashes_of
from .manifest import Manifest
from .outputs import Outputs
from .protocol import Response
from .records import Result, result_of
from .sources import SUFFIXES, Source, distinct, name_of, sources
from .verbs import NONE, ONE, check_options, find

SECONDS, MEMORY = 120.0, 4096
"""Limits of a job unless said otherwise: seconds, and MiB."""


@dataclass
class Batch:
    """Results of a verb for modules, as they are done; iterate over it once.

    modules, work, targets   what is done, with which modules, and for which targets
    place, limits   where it is done, and what one job may take
    settings  options of which each module and target is done with each, beside those of the work
    suffixes  how names of modules end in folders
    manifest  gets the records, and what it has is not done again
    outputs   gets the files
    function  what children compute, by its name
    """

    modules: Iterable[Source]
    work: Work
    targets: tuple[str, ...]
    place: Place
    limits: Limits
    manifest: Manifest | None = None
    outputs: Outputs | None = None
    function: str = RESPOND
    settings: Sequence[Mapping[str, Any]] = ({},)
    suffixes: tuple[str, ...] = SUFFIXES
    done: int = 0
    failed: int = 0
    skipped: int = 0
    """Jobs that the manifest has."""
    skipped_failed: int = 0
    """Those of them that failed then."""
    _pace: Pace = field(init=False)
    _waiting: list[Result] = field(default_factory=list)
    """Results of modules that could not be read, or are missing."""
    _dispatcher: Dispatcher | None = None

    def __post_init__(self) -> None:
        self._pace = Pace(self.place.seconds)

    def __iter__(self) -> Generator[Result, None, None]:
        dispatcher = self._dispatcher = Dispatcher(self.place)
        try:
            for completed in dispatcher.responses(self._chunks()):
                yield from self._kept(completed)
            yield from self._kept([])
        finally:
            self._dispatcher = None
            self._kept(dispatcher.stop())  # after Ctrl-C, too: what is done is kept

    def interrupt(self) -> None:
        """Have the iteration raise KeyboardInterrupt soon; a signal handler may call it."""
        if self._dispatcher is not None:
            self._dispatcher.interrupt()

    def _chunks(self) -> Iterator[Chunk]:
        for jobs in chunks(self._jobs(), self._pace):
            yield Chunk(self.work, self.limits, self.function, jobs)
            if self.manifest is not None:
                self.manifest.refresh()

    def _jobs(self) -> Iterator[Job]:
        """Yield the jobs to be done; of what cannot be read or is missing, the result waits."""
        verb = find(self.work.verb)
        beside, left = getattr(verb, "beside", lambda *_: ()), getattr(verb, "left", None)
        known: set[str] | None = set() if left else None
        kinds = [
            Jobs(self.work, target, settings)
            for target in self.targets or (None,)
            for settings in self.settings
        ]
        for module in distinct(self.modules):
            if known is not None:  # of single files nobody knows what else there should be
                known = _with(known, module)
            try:
                parts = module.read(), *beside(module, self.work.options)
            except OSError as error:
                response = Response(USAGE, "OSError", _unread(module, error))
                for target in self.targets or (None,):
                    self._wait(module.name, target, response)
                continue
            hashes = hashes_of(parts)
            for kind in kinds:
                job = kind.job(module.name, parts, hashes)
                if not self._is_done(job):
                    yield job
        if left and known is not None:
            for name, response in left(known, self.suffixes, self.work.options):
                self._wait(name, None, response)

    def _wait(self, name: str, target: str | None, response: Response) -> None:
        """Have the result of a job wait that nobody works on."""
        self._waiting.append(result_of(self.work, self.limits, name, target, None, response))

    def _is_done(self, job: Job) -> bool:
        """Return whether the manifest has a job, and the folder its files; count it then."""
        if self.manifest is None:
            return False
        made = self.manifest.done(job.name, job.key)
        if made is None or (self.outputs is not None and not self.outputs.has(job.name, made)):
            return False
        self.skipped += 1
        self.skipped_failed += self.manifest.failed(job.name, job.key)
        return True

    def _kept(self, completed: Completed) -> list[Result]:
        """Write what was completed, files first, and return it."""
        results, self._waiting = self._waiting, []
        for job, data in completed:
            response = Response.unpacked(data)
            self._pace.add(response.seconds)
            result = result_of(
                self.work.of(job), self.limits, job.name, job.target, job.key, response
            )
            results.append(result)
            for end, contents in result.files.items():
                if self.outputs is not None:
                    self.outputs.write(job.name, end, contents)
        if self.manifest is not None:
            self.manifest.add(result.record for result in results)
        self.done += len(results)
        self.failed += sum(not result.record["ok"] for result in results)
        return results


def batch(
    modules: Iterable[Any] | str | os.PathLike[str],
    verb: str = "verify",
    *,
    targets: str | Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    executor: Executor | Maker | str | None = None,
    workers: int | None = None,
    seconds: float | None = SECONDS,
    memory: int | None = MEMORY << 20 if LIMITED else None,
    manifest: str | os.PathLike[str] | None = None,
    again: bool = False,
    out: str | os.PathLike[str] | None = None,
) -> Generator[Result, None, None]:
    """Do one thing with many modules, in processes that may be killed; yield results as they come.

    modules   paths (of files or folders, or patterns), bytes, Bytecodes, or pairs of a name and
              bytes; taken as they are needed; or one path alone
    verb      what is done, and for which `targets`, if the verb has any
    options   of the verb, in JSON's types, as records show them: those of the command of that name
    executor  where it is done: a `concurrent.futures.Executor`; a function that makes one, also
              when the one before has broken; "threads" of this process with a child each (the
              default), or "processes"; the address of a Dask cluster, such as "tcp://10.0.0.1:8786"
    workers   how many workers the executor has, as many as CPUs if None; a cluster says it itself
    seconds, memory   what one module may take, None for any number; memory in bytes, on Linux
    manifest  a file to which records are added, a line each; what it has is not done, nor yielded,
              unless `again`
    out       a folder for the files that are made

    A result has a `record`, an object of JSON's types which `help("tileir.batches.records")`
    explains, and `files`, bytes by how the file's name ends. Results come in any order. A module
    that cannot be read, breaks rules, or kills the process that works on it is a result like
    others: `record["ok"]` is false. The generator ends what is under way when it is closed.

    Raises what is wrong with the arguments (TileIRError, ValueError), WorkerError for an executor
    that is good for nothing, and OSError for a manifest or folder that cannot be written.
    """
    work = Work(verb, dict(options or {}), files=True)
    try:
        check_options(verb, work.options)
        chosen = targets_of(verb, (targets,) if isinstance(targets, str) else targets)
        place = place_of(executor, workers)
    except UsageError as error:
        raise ValueError(str(error)) from None
    for name, limit in (("seconds", seconds), ("memory", memory)):
        if limit is not None and not limit > 0:
            raise ValueError(f"{name} is {limit}, not a number above 0")
    limits = Limits(seconds, memory)
    if isinstance(modules, str | os.PathLike):
        modules = [modules]
    return _results(modules, work, chosen, place, limits, manifest, again, out)


def _results(
    modules: Iterable[Any],
    work: Work,
    targets: tuple[str, ...],
    place: Place,
    limits: Limits,
    manifest: str | os.PathLike[str] | None,
    again: bool,
    out: str | os.PathLike[str] | None,
) -> Generator[Result, None, None]:
    kept = None
    outputs = None if out is None else Outputs(os.fspath(out))
    try:
        if manifest is not None:
            kept = Manifest(os.fspath(manifest), limits, again)
        yield from Batch(_given(modules), work, targets, place, limits, kept, outputs)
    except UsageError as error:
        raise ValueError(str(error)) from None
    finally:
        if kept is not None:
            kept.close()


def _with(known: set[str], module: Source) -> set[str] | None:
    """Add what a module is called below the folder that was given; None if it was given alone."""
    if not module.folder:
        return None
    known.add(module.below)
    return known


def _unread(module: Source, error: OSError) -> str:
    """Return why a module cannot be read: with the path, if that is of something beside it."""
    what = without_secrets(error.strerror or str(error))
    if error.filename in (None, module.place):
        return what
    return f"{printable(without_secrets(str(error.filename)))}: {what}"


def targets_of(verb: str, targets: Iterable[str]) -> tuple[str, ...]:
    """Return the targets, each once; UsageError if the verb has no such targets."""
    wanted, found = find(verb).TARGETS, tuple(dict.fromkeys(targets))
    if wanted == NONE and found:
        raise UsageError(f"{verb} is not done for a target")
    if wanted == ONE and len(found) > 1:
        raise UsageError(f"{verb} is done for one target at a time")
    for target in found:
        check_target(target)
    return found


def _given(modules: Iterable[Any]) -> Iterator[Source]:
    for number, given in enumerate(modules):
        if isinstance(given, str | os.PathLike):
            yield from sources([os.fspath(given)])
            continue
        name, data = given if isinstance(given, tuple) else (f"module {number}", given)
        if isinstance(data, Bytecode):
            data = data.build(check=False)
        if not isinstance(data, bytes | bytearray | memoryview):
            kind = type(data).__name__
            raise TypeError(f"module {number} is a {kind}, neither a path nor bytes nor a Bytecode")
        if name_of(name) != name:
            raise ValueError(f"{display(name)} is not the name of a file below a folder")
        place = f"module {number}, a {type(given).__name__},"
        yield Source(name, place, name, partial(bytes, data), _nothing_beside)


def _nothing_beside(suffix: str) -> bytes:
    raise OSError(f"there is no {suffix} beside bytes")
