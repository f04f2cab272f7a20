"""`tileir batch`: one thing done with many modules, and a manifest of what came of them."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from typing import Any

from tileir.command_line.argument_parser import (
    counting_number,
    number_of_mebibytes,
    number_of_seconds,
)
from tileir.command_line.exit_codes import INTERRUPTED, NO, OK, UsageError, fail
from tileir.command_line.files import check_output_folder
from tileir.command_line.standard_output import stdout_text
from tileir.messages.texts import printable
from tileir.supervisor.memory import LIMITED

from .batching import MEMORY, SECONDS, Batch, targets_of
from .executors import BY_NAME, place_of
from .jobs import Limits, Work
from .manifest import Manifest
from .outputs import Outputs
from .progress import board
from .records import Record, line_of
from .reporting import command as report
from .sources import SUFFIXES, Source, listed, sources
from .variants.collected import Collected
from .verbs import NAMES, NONE, Verb, find

SCHEMA = 1
LINES = "-"
"""The manifest that is standard output."""

MAKING = ("dis", "compile")
"""The verbs that nobody asks but for the files that they make, or to be told what fails."""

EXAMPLES = f"""\
examples:
  tileir batch verify kernels/                        all modules below a folder
  tileir batch verify -m verify.jsonl kernels/        what a file of records has is not done again
  tileir batch compile --target sm_80 --target sm_90 -m all.jsonl -o ptx/ kernels/
                                                      PTX beside each other, by the names of modules
  tileir batch compile --target sm_90 --set num_warps=4,8 --set maxnreg=none,128 kernels/
                                                      variants, and what each takes of a GPU
  find . -newer last -name '*.mlir' | tileir batch verify -       paths from standard input
  tileir batch report all.jsonl --baseline old.jsonl      a gate for CI: what is worse than it was
  tileir batch verify -m - kernels/ | jq 'select(.ok | not) | .file'

Each module is worked on in a process that is killed at the limits of time and memory: what crashes,
hangs or eats memory is a failure of that module, and costs nobody else anything.

A manifest (-m) has a record a line; python -c "help('tileir.batches.records')" explains them. A
batch that was interrupted, by Ctrl-C, too, goes on where it stopped. A module, a target, an option
or a release of tileir that has changed is another job, and done. -m - prints the records instead.

In folders, names end in {", ".join(SUFFIXES)}, or as --suffix says, and so in archives
(.zip, .tar, .tar.gz, .tar.bz2, .tar.xz; a module is called archive.zip!member) and at URLs, which
fsspec reads (s3://bucket/kernels; it has to be installed, and what it asks for).
docs/guide/batch.md has more.

exit status: 0 all is well, 1 something failed, now or before as the manifest has it, 2 wrong use,
no such file or no module there, 4 there is no such target, 5 the executor is good for nothing, 130
interrupted; with --set, 1 for a module of which no variant is left, among those of now"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Do one thing with many modules, and keep what came of it."
    parser.epilog = EXAMPLES
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name in NAMES:
        verb = find(name)
        each = verbs.add_parser(
            name,
            help=verb.SUMMARY,
            description=f"{verb.SUMMARY.capitalize()}.",
            epilog="`tileir batch --help` has examples, and the exit status.",
        )
        _add_shared(each, verb)
        verb.configure(each)
    summary = report.SUMMARY
    told = verbs.add_parser(
        report.NAME, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    report.configure(told)


def _add_shared(parser: argparse.ArgumentParser, verb: Verb) -> None:
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+",
        help="a file, folder, pattern, archive, URL, or - for a list on standard input",
    )  # fmt: skip
    if verb.TARGETS != NONE:
        add("--target", metavar="TARGET", action="append", help="host or a GPU, such as sm_90")
    add("-m", "--manifest", metavar="FILE", help="add records to this file; what it has is done")
    add("--again", action="store_true", help="do what the manifest has as well")
    if verb.FILES:
        add("-o", "--output", metavar="FOLDER", help="write the files that are made there")
    else:
        parser.set_defaults(output=None)
    add("-j", "--jobs", metavar="N", type=counting_number, help="workers (default: CPUs)")
    add("--seconds", type=number_of_seconds, default=SECONDS, metavar="S",
        help=f"how long one module may take (default: {SECONDS:g})")  # fmt: skip
    add("--memory", type=number_of_mebibytes, default=MEMORY if LIMITED else None, metavar="MIB",
        help=f"the memory it may take, on Linux (default: {MEMORY})")  # fmt: skip
    add("--executor", metavar="NAME",
        help=f"{' or '.join(BY_NAME)}, or MODULE:FUNCTION, which returns a"
        " concurrent.futures.Executor (default: threads, each with a child process)",
    )  # fmt: skip
    add("--cluster", metavar="ADDRESS",
        help="workers of a Dask cluster: its scheduler, such as tcp://10.0.0.1:8786")  # fmt: skip
    add("--suffix", metavar="END", action="append", help="how names of modules end in folders")
    add("-0", "--null", action="store_true", help="the list is separated by NUL, as find -print0")
    add("--json", action="store_true", help="the summary as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.verb == report.NAME:
        return report.run(arguments)
    lines = arguments.manifest == LINES
    if arguments.json and lines:
        raise UsageError("-m - has standard output for itself; leave --json away")
    memory = None if arguments.memory is None else arguments.memory << 20
    limits = Limits(arguments.seconds, memory)
    verb = find(arguments.verb)
    settings = getattr(verb, "settings", None)
    work = Work(arguments.verb, verb.options(arguments), files=arguments.output is not None)
    manifest = nullcontext(None)
    targets = targets_of(arguments.verb, getattr(arguments, "target", None) or ())
    place = place_of(_executor(arguments), arguments.jobs)
    check_output_folder(arguments.output)
    if arguments.manifest is not None and not lines:
        manifest = closing(Manifest(arguments.manifest, limits, arguments.again))
    unkept = arguments.output is None and arguments.manifest is None
    if unkept and arguments.verb in MAKING and not getattr(arguments, "set", None):
        fail("batch", "nothing is kept: no --output and no --manifest", OK)
    with manifest as kept, nullcontext() if arguments.cluster is None else _silent():
        suffixes = tuple(arguments.suffix or SUFFIXES)
        batch = Batch(
            _modules(arguments, suffixes),
            work,
            targets,
            place,
            limits,
            kept,
            None if arguments.output is None else Outputs(arguments.output),
            settings=settings(arguments) if settings else ({},),
            suffixes=suffixes,
        )
        return _run(batch, arguments, lines)


def _executor(arguments: argparse.Namespace) -> str | None:
    """Return the name of the executor, or the address of a cluster; UsageError for both."""
    if arguments.cluster is None:
        return arguments.executor
    if arguments.executor is not None:
        raise UsageError("--cluster is an executor of its own; leave --executor away")
    if "://" not in arguments.cluster:
        raise UsageError(f"--cluster {arguments.cluster}: no address such as tcp://10.0.0.1:8786")
    return arguments.cluster


@contextmanager
def _silent() -> Iterator[None]:
    """Let nobody log: Dask prints tracebacks of what is told here in a sentence."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _run(batch: Batch, arguments: argparse.Namespace, lines: bool) -> int:
    """Run a batch to its end, or until Ctrl-C, and say what came of it; returns the exit code."""
    failures: Counter[str] = Counter()
    collected = Collected() if getattr(arguments, "set", None) else None
    started, interrupted = time.monotonic(), False
    try:
        with closing(_shown(batch, arguments.verb)) as records:
            for record in records:
                if lines:
                    sys.stdout.write(line_of(record).decode("ascii"))
                    sys.stdout.flush()
                if not record["ok"]:
                    failures[record["failure"]] += 1
                if collected is not None:
                    collected.add(record)
    except KeyboardInterrupt:
        interrupted = True
    counts: dict[str, Any] = {
        "done": batch.done,
        "failed": batch.failed,
        "skipped": batch.skipped,
        "skipped_failed": batch.skipped_failed,
        "failures": dict(failures.most_common()),
        "seconds": round(time.monotonic() - started, 3),
        "interrupted": interrupted,
    }
    with stdout_text() as out:
        if arguments.json:
            variants = {} if collected is None else {"variants": collected.as_json()}
            document = {"schema": SCHEMA, "verb": arguments.verb, **counts, **variants}
            out.write(json.dumps(document) + "\n")
        elif not lines:
            for line in _summary(batch, collected):
                out.write(f"{line}\n")
    if interrupted:
        kept = None if lines else arguments.manifest
        where = f"; {printable(kept)} has what is done" if kept else ""
        return fail("batch", f"interrupted{where}", INTERRUPTED)
    failed = batch.failed or batch.skipped_failed if collected is None else collected.lost
    return NO if failed else OK


def _shown(batch: Batch, verb: str) -> Generator[Record, None, None]:
    """Yield the records of a batch as they come, and show them; KeyboardInterrupt after Ctrl-C."""
    with board(verb) as shown, closing(iter(batch)) as results:
        before = _on_interrupt(batch.interrupt)
        try:
            for record, _ in results:
                yield record
                shown.show(record)
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)


def _summary(batch: Batch, collected: Collected | None) -> Iterator[str]:
    """Yield the lines that say what came of a batch, and of variants if there are any."""
    if collected is not None:
        yield from collected.lines()
    said = [_done(batch.done, "done", batch.failed)]
    if batch.skipped:
        said.append(_done(batch.skipped, "done before", batch.skipped_failed))
    yield ", ".join(said)


def _done(number: int, how: str, failed: int) -> str:
    return f"{number:,} {how}" + (f" ({failed:,} of them failed)" if failed else "")


def _on_interrupt(call: Callable[[], None]) -> Any:
    """Have the next Ctrl-C call a function, and those after it do what they would; return that."""
    if threading.current_thread() is not threading.main_thread():
        return None
    before = signal.getsignal(signal.SIGINT)
    if before in (None, signal.SIG_IGN):  # as in the background of a shell's script
        return None

    def interrupted(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        call()

    return signal.signal(signal.SIGINT, interrupted)


def _modules(arguments: argparse.Namespace, suffixes: tuple[str, ...]) -> Iterator[Source]:
    """Yield the modules of the paths that are given, those of a list among them."""
    for path in arguments.paths:
        if path == "-":
            yield from listed(_list(arguments.null), suffixes)
        else:
            yield from sources([path], suffixes)


def _list(null: bool) -> Iterator[str]:
    """Yield the paths on standard input."""
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    data: Any = sys.stdin.buffer
    for each in _separated(iter(partial(data.read1, 1 << 16), b""), b"\0" if null else b"\n"):
        if each:
            yield each.decode("utf-8", "surrogateescape")


def _separated(blocks: Iterator[bytes], separator: bytes) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *whole, rest = (rest + block).split(separator)
        yield from whole
    yield rest
