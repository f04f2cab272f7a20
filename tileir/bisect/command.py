"""`tileir bisect`: the release of tileiras, or the stage of our compiler, at which a file's answer
changes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tileir.bytecode import Bytecode
from tileir.command_line.exit_codes import NO, OK, UsageError, called, fail
from tileir.command_line.files import open_input
from tileir.command_line.standard_output import json_line, stdout_text
from tileir.commands.modules import module_of
from tileir.errors import BuildError, ToolError, UnsupportedError, VersionError
from tileir.formats.container import MAGIC
from tileir.formats.version import SUPPORTED
from tileir.gpus import TARGETS
from tileir.messages.missing_packages import compiling
from tileir.messages.wording import choice
from tileir.predicates import Crashes, Differs, Explaining, Says, Verdict
from tileir.predicates.options import add_options, is_given, limits_of, predicate_given
from tileir.predicates.subjects import GPU, NVIDIAS

from .package_index import PackageIndex
from .releases import Releases, ToolkitFolders, bisect_releases, numbers_of
from .report import SCHEMA, as_json, as_text, no_answer
from .search import Found
from .stages import (
    BEHIND,
    RefusedError,
    bisect_optional,
    bisect_texts,
    compiled_by_stages,
    first_failing,
    without_legend,
)

COMPILED = ("host", GPU, "ptxas")
"""The subjects that our compiler makes something for."""
Asking = Crashes | Differs | Says
"""The predicates that ask subjects."""
COMPILED_SPELLED = ("host", "sm_90, ...", "ptxas:sm_90")

EXAMPLES = """\
examples:
  tileir bisect k.tileirbc --crashes tileiras:sm_100          releases of tileiras, by halving
  tileir bisect k.tileirbc --says 'public symbol' --all       each one of them (a rule since 13.5)
  tileir bisect k.tileirbc --differs verify,tileirdisasm --from 13.4.59
  tileir bisect k.tileirbc --test ./check.sh                  the release's tools come first on PATH
  tileir bisect k.tileirbc --says error --toolkits DIR        releases in DIR/13.3.36/bin, ...
  tileir bisect k.tileirbc --stages --target sm_90            the first stage of ours that fails
  tileir bisect k.tileirbc --stages --says mbarrier           after which the text has that word
  tileir bisect k.tileirbc --optional --differs host,sm_90    the optimisation that goes wrong

Releases are those of nvidia-cuda-tileiras on the package index of pip (tileiras, ptxas and libnvvm
of each; tileirdisasm from 13.4 on). One is installed when it is asked for the first time, some 210
MB each, into the folder `toolkits` of tileir's cache, where it stays. Both ends are asked first; if
they agree, nothing is asked between them: what changes there and changes back, --all alone finds. A
release gives no answer if it lacks the tool, the GPU or the file's version, or takes too long. A
text is written in the lowest version that has all of it.

--stages compiles once, with our verifier between stages. Without a question it names the stage that
fails. --says and --matches look for a text in what every stage prints, as `tileir compile
--stop-after` does, but for the comments at its beginning; --test is asked of that text by halving.

--optional compiles with none of the stages that may be left out, then with the first, the first
two, and so on (as opt-bisect-limit does for LLVM), for --crashes, --differs, and --says with --of.
LLVM's own passes always run.

--json: schema, question, between ("releases", "stages" or "optional stages"), points [{name, holds
(true, false, null: no answer), seen, asked}], changes [{before, after, holds, no_answer}], problem

exit status: 0 a change was found, 1 there is none, 2 wrong use or no such file, 3 not readable, 4
not supported, 5 no pip, no network or no tool, or no release gave an answer"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = (
        "Find the release of NVIDIA's tileiras, or the stage of our compiler, at which what is"
        " asked of a file begins or ceases to hold."
    )
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="bytecode or text, or - for standard input")
    add("--all", action="store_true", help="ask at every point, and list every change")
    add("--json", action="store_true", help="one JSON document, for programs")
    over = parser.add_argument_group("releases (the default)")
    over.add_argument("--from", dest="first", metavar="RELEASE", help="the first one to ask")
    over.add_argument("--to", dest="last", metavar="RELEASE", help="the last one to ask")
    over.add_argument("--toolkits", metavar="DIR", help="releases in a folder, not from the index")
    over.add_argument(
        "--lowest", action="store_true", help="write FILE in the lowest version first, as for texts"
    )
    over.add_argument("--list", action="store_true", help="only list the releases")
    stages = parser.add_argument_group("stages of our compiler")
    which = stages.add_mutually_exclusive_group()
    which.add_argument("--stages", action="store_true", help="its stages, by what each leaves")
    which.add_argument("--optional", action="store_true", help="stages that may be left out")
    stages.add_argument(
        "--target", metavar="TARGET", help="host or a GPU (default: that of the question, or sm_90)"
    )
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    by_stage = arguments.stages or arguments.optional
    _check(arguments, by_stage)
    if arguments.list:
        return _list(arguments)
    if arguments.file is None:
        raise UsageError("name a file, or - for standard input (see tileir bisect --help)")
    data = _bytes(arguments.file, arguments.lowest)
    say = _progress()
    if arguments.stages:
        try:
            question, found = _over_stages(arguments, data)
        except RefusedError as error:
            return fail("bisect", f"{called(arguments.file)}: {error}", error.code)
        what = "stages"
    elif arguments.optional:
        question, found = _over_optional(arguments, data)
        what = "optional stages"
    else:
        predicate = predicate_given(arguments)
        question = predicate.description
        releases = _releases(arguments, say)
        found = bisect_releases(
            data,
            predicate.using,
            releases,
            chosen=_chosen(releases.names(), arguments.first, arguments.last),
            everywhere=arguments.all,
            progress=say,
        )
        what = "releases"
    say("")
    problem = "" if found.answered else no_answer(found)
    with stdout_text() as out:
        if arguments.json:
            out.write(json_line(as_json(found, what, question, problem)))
        else:
            out.write(as_text(found, what, question))
    if problem:
        raise ToolError(problem)
    return OK if found.changes else NO


def _check(arguments: argparse.Namespace, by_stage: bool) -> None:
    """Raise UsageError for options that contradict each other."""
    if by_stage:
        for name in ("first", "last", "toolkits"):
            if getattr(arguments, name) is not None:
                option = {"first": "from", "last": "to"}.get(name, name)
                raise UsageError(f"--{option} is about releases")
        if arguments.list:
            raise UsageError("--list is about releases")
    elif arguments.target is not None:
        raise UsageError("--target is for --stages and --optional")
    if arguments.target not in (None, "host", *TARGETS):
        raise UnsupportedError(f"there is no target {arguments.target!r}")
    if arguments.stages and (arguments.crashes or arguments.differs or arguments.of):
        raise UsageError("--stages asks of texts: --test, --says, --matches or nothing")
    if arguments.optional and (arguments.test or not is_given(arguments)):
        raise UsageError("--optional takes --crashes, --differs, or --says or --matches with --of")
    if not by_stage and not arguments.list:
        asked = predicate_given(arguments)
        if isinstance(asked, Asking) and not any(who.name in NVIDIAS for who in asked.subjects):
            raise UsageError(f"{' and '.join(map(str, asked.subjects))}: the same for any release")


def _bytes(path: str, lowest: bool) -> bytes:
    """Return the bytes of a file, as they are unless it is a text, or wanted in another version."""
    data = open_input(path)
    if not lowest and (not data or data.startswith(MAGIC[:1])):
        return data
    return _lowest(module_of(data, path))


def _lowest(module: Bytecode) -> bytes:
    """Return a module in the lowest version that has all of it, which the most releases read."""
    for version in SUPPORTED:
        with suppress(BuildError, VersionError):
            return bytes(module.to_version(version).build())
    return bytes(module.build())


# Releases ---------------------------------------------------------------------------------------


def _releases(arguments: argparse.Namespace, say: Callable[[str], None]) -> Releases:
    if arguments.toolkits is not None:
        return ToolkitFolders(Path(arguments.toolkits))
    with compiling():
        from tileir.codegen.cache.folder import find_cache

    cache = find_cache()
    if cache is None:
        raise UsageError(
            "the cache is off (TILEIR_CACHE_DIR), so no release can be kept; --toolkits"
        )
    return PackageIndex(cache.toolkits, progress=say)


def _chosen(names: list[str], first: str | None, last: str | None) -> list[str]:
    """Return the releases from the first to the last that are wanted; UsageError for none."""
    for option, name in (("--from", first), ("--to", last)):
        if name is not None and not re.fullmatch(r"\d+(\.\d+)*", name):
            raise UsageError(f"{option} takes a release such as {names[-1]}, not {name!r}")
    low = numbers_of(first) if first else ()
    high = numbers_of(last) if last else None
    found = [
        name
        for name in names
        if numbers_of(name) >= low and (high is None or numbers_of(name)[: len(high)] <= high)
    ]
    if len(found) < 2:
        raise UsageError(f"that leaves {len(found)} of {', '.join(names)}; two are needed")
    return found


def _list(arguments: argparse.Namespace) -> int:
    names = _releases(arguments, lambda text: None).names()
    with stdout_text() as out:
        text = (
            json.dumps({"schema": SCHEMA, "releases": names})
            if arguments.json
            else "\n".join(names)
        )
        out.write(text + "\n")
    return OK


# Stages -----------------------------------------------------------------------------------------


def _over_stages(arguments: argparse.Namespace, data: bytes) -> tuple[str, Found]:
    with compiling():
        from tileir.codegen.pipeline import STAGES
        from tileir.codegen.targets import package_of

    target = arguments.target or "sm_90"
    compiled = compiled_by_stages(data, target, limits_of(arguments))
    if not is_given(arguments):
        question = f"does compiling for {target} fail?"
        return question, first_failing(compiled, STAGES[package_of(target)])
    if compiled.failed:
        where = compiled.failed if compiled.failed == BEHIND else f"stage {compiled.failed}"
        fail("bisect", f"warning: {where}: {compiled.problem}; texts are those before it", OK)
    predicate = predicate_given(arguments)
    if isinstance(predicate, Says):
        question = f"the text after a stage for {target} has {predicate.wanted}"
        found = bisect_texts(compiled, lambda text: predicate.said_in(without_legend(text)), True)
        return question, found

    def ask(text: str) -> Verdict:
        return predicate.examine(text.encode("utf-8", "surrogateescape"))

    question = f"of the text after a stage for {target}, {predicate.description}"
    return question, bisect_texts(compiled, ask, arguments.all)


def _over_optional(arguments: argparse.Namespace, data: bytes) -> tuple[str, Found]:
    with compiling():
        from tileir.codegen.targets import package_of

    asked = predicate_given(arguments)
    target = arguments.target or "sm_90"
    if not isinstance(asked, Asking) or not any(
        subject.name in COMPILED for subject in asked.subjects
    ):
        raise UsageError(f"--optional is about what is compiled: {choice(COMPILED_SPELLED, False)}")

    def made(without: Mapping[str, tuple[str, ...]]) -> Explaining:
        return replace(asked, bench=asked.bench.leaving_out(without))

    found = bisect_optional(data, made, package_of(target), arguments.all)
    return f"{asked.description}, with the optional stages for {target} up to", found


def _progress() -> Callable[[str], None]:
    """Return what tells what is done now: on a terminal on one line, else only what takes long."""
    if not sys.stderr.isatty():

        def told(text: str) -> None:
            if text.startswith("installing"):
                print(f"tileir bisect: {text}", file=sys.stderr, flush=True)

        return told
    return lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
