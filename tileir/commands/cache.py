"""`tileir cache`: what has been compiled and kept on disk: listed, shown, pruned, exchanged."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tileir.command_line.exit_codes import NO, OK, UNREADABLE, UsageError, called, fail
from tileir.command_line.files import check_output, write_output
from tileir.command_line.standard_output import json_line
from tileir.errors import ToolError
from tileir.messages.missing_packages import compiling
from tileir.messages.texts import display, printable

if TYPE_CHECKING:
    from tileir.codegen.cache.listing import Installed, Kept
    from tileir.codegen.cache.store import Cache, Entry

SCHEMA = 1
_SHOWN_ID = 12
"""Digits of an id in the list; as many as make it the only one are enough to name it."""
_LEAST_ID = 4
_DAY = 86_400
_EMIT = ("ptx", "plan", "llvm", "cubin")

EXAMPLES = """\
examples:
  tileir cache list                               what is kept, the least recently used first
  tileir cache list --shared                      how much is in the store that machines share
  tileir cache show 3f2a9c0d1e2b                  what decided it, and its parts
  tileir cache show 3f2a9c0d1e2b --emit ptx       its PTX; or plan, llvm, cubin
  tileir cache prune                              what is damaged, or from another compiler
  tileir cache prune --size 100M --unused 30      and what is beyond, or was not used for 30 days
  tileir cache export kernels.zip --target sm_90  what was compiled for that GPU, into a file
  tileir cache import kernels.zip                 on another machine

The folder is ~/.cache/tileir or what TILEIR_CACHE_DIR names; TILEIR_CACHE_SIZE bounds it. Releases
of NVIDIA's tools that `tileir bisect` has installed lie in its folder toolkits, and stay until you
remove them. TILEIR_CACHE_SHARED is the URL of a store that machines share, TILEIR_CACHE_KEY_FILE a
file with the key that its entries need; `tileir doctor` tries it. Nothing is ever removed there.

Exported and imported are PTX, LLVM IR and launch plans, never machine code of a CPU, nor cubins,
which ptxas makes again. A kernel is found on the other machine if module, target, options, release
of tileir and LLVM are the same. Import from those alone whose kernels you would run.

--json prints an object with "schema" and "folder": of `list` also "limit", "compilations",
"others" [{file, bytes, damaged}] (files that are none of them, or unfinished), "toolkits" [{name,
path, files, bytes}] and "shared" (null, or "url", "key", and with --shared "entries" and "bytes");
of `show`, "compilation". A compilation has "id", "current" (whether this release may find it),
"kernels", "used" (seconds since 1970), "bytes", "facts" (what decided it) and "parts" [{kind, file,
bytes, damaged}].

Exit code: 0 done, 1 entries of a file were refused, 2 wrong use or no such store, 3 the file was
not written by `export`, 5 the shared store cannot be listed.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "What tileir has compiled and keeps on disk."
    parser.epilog = EXAMPLES
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, summary: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=summary, description=f"{summary.capitalize()}.")

    each = verb("list", "list the compilations, the least recently used one first")
    each.add_argument("--json", action="store_true", help="an object instead of lines")
    each.add_argument("--shared", action="store_true", help="count entries of the shared store")
    each = verb("show", "show one compilation: what decided it, its kernels and parts")
    each.add_argument("id", metavar="ID", help="the first digits of its id, as `list` prints them")
    each.add_argument("--json", action="store_true", help="an object instead of lines")
    each.add_argument("--emit", choices=_EMIT, help="write this part of it instead")
    each.add_argument("-o", "--output", metavar="FILE", help="--emit: output file")
    each = verb("prune", "remove what is damaged, unfinished, or from another compiler of ours")
    each.add_argument("--all", action="store_true", help="remove everything")
    each.add_argument("--size", metavar="BYTES", help="remove the least recently used beyond 500M")
    each.add_argument("--unused", metavar="DAYS", type=float, help="remove what was not used since")
    each.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    each = verb("export", "write PTX and launch plans into a file")
    each.add_argument("file", metavar="FILE", help="the file to write, or - for standard output")
    each.add_argument("id", metavar="ID", nargs="*", help="compilations (default: all for GPUs)")
    each.add_argument("--target", metavar="TARGET", help="only what was compiled for this GPU")
    each = verb("import", "read what `export` has written")
    each.add_argument("file", metavar="FILE", help="the file")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    with compiling():
        from tileir.codegen.cache.folder import find_cache

        cache = find_cache()
        if cache is None:
            raise UsageError("there is no cache: TILEIR_CACHE_DIR says so, or nobody has a home")
        if os.path.exists(cache.folder) and not os.path.isdir(cache.folder):
            raise UsageError(f"TILEIR_CACHE_DIR: {display(str(cache.folder))} is no folder")
        return _VERBS[arguments.verb](cache, arguments)


def _list(cache: Cache, arguments: argparse.Namespace) -> int:
    """Print what is kept, files that are none of it, toolkits, and the shared store."""
    from tileir.codegen.cache.listing import is_damaged, listed, symbols, toolkits

    shared = _shared(arguments.shared)
    kept, others = listed(cache)
    named = {each.id: symbols(cache, each) for each in kept}
    finished = [entry for each in kept for entry in each.parts.values()]
    finished += [entry for entry in others if entry.name]
    damaged = {entry.path for entry in finished if is_damaged(cache, entry)}
    installed = toolkits(cache)
    if arguments.json:
        _print_json(
            cache,
            limit=cache.limit,
            compilations=[_tree(each, named[each.id], damaged) for each in kept],
            others=[_file(entry, damaged) for entry in others],
            toolkits=[_toolkit(each) for each in installed],
            shared=shared,
        )
        return OK
    for each in kept:
        kernels = ", ".join(map(display, named[each.id]))
        _print(_row(each.id[:_SHOWN_ID], each, kernels, damaged))
    for entry in others:
        state = "damaged" if entry.path in damaged else "unfinished"
        _print(f"{state:<{_SHOWN_ID + 9}} {_when(entry.used)} {entry.size:>11,}  {entry.path}")
    files = sum(len(each.parts) for each in kept) + len(others)
    size = sum(each.size for each in kept) + sum(entry.size for entry in others)
    _print(f"{cache.folder}: {_amount(files, size)} of {cache.limit:,}")
    for each in installed:
        _print(f"{each.path}: {_amount(each.files, each.size)}")
    if shared is not None:
        key = "entries need a key" if shared["key"] else "no key"
        amount = _amount(shared["entries"], shared["bytes"]) + ", " if arguments.shared else ""
        _print(f"shared: {shared['url']}: {amount}{key}")
    return OK


def _shared(count: bool) -> dict[str, Any] | None:
    """Return what is to be said of the shared store, None if there is none.

    UsageError if it is to be counted and there is none, ToolError if it cannot be listed.
    """
    from tileir.codegen.cache.folder import named_store

    named = named_store()
    if named is None:
        if count:
            raise UsageError("there is no shared store: TILEIR_CACHE_SHARED names none")
        return None
    from tileir.codegen.cache.shared import said_by, store_of
    from tileir.messages.urls import without_secrets

    url, key_file = named
    told: dict[str, Any] = {"url": without_secrets(url), "key": bool(key_file)}
    if count:
        try:
            sizes = store_of(url, key_file).sizes()
        except Exception as problem:  # of any package that fsspec finds
            raise ToolError(f"{told['url']} cannot be listed: {said_by(url, problem)}") from None
        known = [size for size in sizes if size is not None]
        told |= {"entries": len(sizes), "bytes": sum(known) if len(known) == len(sizes) else None}
    return told


def _row(name: str, kept: Kept, kernels: str, damaged: Collection[str]) -> str:
    old = "" if kept.made_by(_compiler()) else " (another compiler)"
    parts = ", ".join(
        f"{kind} (damaged)" if entry.path in damaged else kind for kind, entry in kept.parts.items()
    )
    target = kept.facts.get("target", "")
    row = f"{name}  {target:<7} {_when(kept.used)} {kept.size:>11,}  {parts}{old}"
    return f"{row}: {kernels}" if kernels else row


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _show(cache: Cache, arguments: argparse.Namespace) -> int:
    from tileir.codegen.cache.listing import is_damaged, symbols

    (kept,) = _chosen(cache, [arguments.id])
    if arguments.emit:
        write_output(arguments.output, _part(cache, kept, arguments.emit))
        return OK
    if arguments.output is not None:
        raise UsageError("-o is where --emit writes")
    kernels = symbols(cache, kept)
    damaged = {entry.path for entry in kept.parts.values() if is_damaged(cache, entry)}
    if arguments.json:
        _print_json(cache, compilation=_tree(kept, kernels, damaged))
        return OK
    _print(_row(kept.id, kept, ", ".join(map(display, kernels)), damaged))
    for name, value in kept.facts.items():
        _print(f"  {name}: {value if isinstance(value, str) else json.dumps(value)}")
    for kind, entry in kept.parts.items():
        _print(f"  {kind}: {entry.size:,} bytes in {entry.path}")
    return OK


def _part(cache: Cache, kept: Kept, emit: str) -> bytes:
    """Return a part as `tileir compile --emit` writes it; UsageError if it is not there."""
    from tileir.codegen.cache.key import CUBIN, LAUNCH_PLAN
    from tileir.codegen.cache.listing import EMITTED
    from tileir.codegen.nvptx.stored import StoredPlans, text_from_bytes

    for kind in EMITTED[emit]:
        entry = cache.peek(kept.parts[kind].name) if kind in kept.parts else None
        if entry is None:
            continue
        contents = entry.partition(b"\n")[2]
        if kind == CUBIN:
            return contents
        try:
            if kind == LAUNCH_PLAN:
                plans = StoredPlans.from_bytes(contents).plans
                return (json.dumps(plans, indent=2) + "\n").encode()
            return (text_from_bytes(contents) or "").encode("utf-8", "surrogateescape")
        except ValueError as problem:
            raise UsageError(f"{kept.id[:_SHOWN_ID]} cannot be read: {problem}") from None
    raise UsageError(f"{kept.id[:_SHOWN_ID]} has no {emit}; it has {', '.join(kept.parts)}")


def _prune(cache: Cache, arguments: argparse.Namespace) -> int:
    """Remove what is asked for, or what nobody can use; say how much."""
    from tileir.codegen.cache.folder import size_of
    from tileir.codegen.cache.listing import damaged, listed

    limit = cache.limit
    if arguments.size is not None:
        asked = size_of(arguments.size)
        if asked is None:
            raise UsageError(f"--size {arguments.size} is no size such as 500M")
        limit = min(limit, asked)
    if arguments.unused is not None and not arguments.unused >= 0:
        raise UsageError(f"--unused takes days, from 0, not {arguments.unused}")
    entries = cache.entries()
    if arguments.all:
        chosen = {entry.path for entry in entries}
    else:
        kept, _ = listed(cache)
        old = [each for each in kept if not each.made_by(_compiler())]
        gone = [*damaged(cache), *cache.abandoned(), *cache.beyond(limit)]
        gone += [entry for each in old for entry in each.parts.values()]
        if arguments.unused is not None:
            since = time.time() - arguments.unused * _DAY
            gone += [entry for entry in entries if entry.used < since]
        chosen = {entry.path for entry in gone}
    doomed = [entry for entry in entries if entry.path in chosen]
    gone = doomed if arguments.dry_run else cache.remove(doomed)
    left = [entry for entry in entries if entry not in gone]
    said = "would be removed" if arguments.dry_run else "removed"
    _print(f"{_in_all(gone)} {said}, {_in_all(left)} kept")
    shared = _shared(False)
    if shared is not None:
        print(f"tileir cache: {shared['url']} is left as it is", file=sys.stderr)
    return OK


def _export(cache: Cache, arguments: argparse.Namespace) -> int:
    from tileir.codegen.cache.exchange import write_entries
    from tileir.codegen.cache.listing import listed
    from tileir.codegen.nvptx.stored import READERS

    check_output(arguments.file)
    kept = _chosen(cache, arguments.id) if arguments.id else listed(cache)[0]
    if arguments.target is not None:
        kept = [each for each in kept if each.facts.get("target") == arguments.target]
    parts = [entry for each in kept for kind, entry in each.parts.items() if kind in READERS]
    if not parts:
        raise UsageError("there is nothing to export: no kernel compiled for such a GPU")
    out = io.BytesIO()
    count = write_entries(cache, [entry.name for entry in parts], out)
    write_output(arguments.file, out.getvalue())
    print(f"tileir cache: {count} entries in {called(arguments.file)}", file=sys.stderr)
    return OK


def _import(cache: Cache, arguments: argparse.Namespace) -> int:
    from tileir.codegen.cache.exchange import read_entries
    from tileir.codegen.cache.listing import facts_in
    from tileir.codegen.nvptx.stored import READERS

    try:
        with open(arguments.file, "rb") as file:
            done = read_entries(cache, file, READERS)
    except ValueError as problem:
        shown = f"{called(arguments.file)} was not written by tileir cache export: {problem}"
        return fail("cache", shown, UNREADABLE)
    for refused in done.refused:
        fail("cache", f"refused {refused}", NO)
    facts = [facts_in(key.line) or {} for key in (*done.written, *done.known)]
    foreign = sum(each.get("compiler") != _compiler() for each in facts)
    _print(
        f"{len(done.written)} written, {len(done.known)} were there,"
        f" {len(done.refused)} refused"
        + (f"; {foreign} are from another compiler, and not found by this one" if foreign else "")
    )
    return NO if done.refused else OK


_VERBS = {"list": _list, "show": _show, "prune": _prune, "export": _export, "import": _import}


def _chosen(cache: Cache, ids: Iterable[str]) -> list[Kept]:
    """Return the compilations that the first digits of ids name; UsageError if one names none."""
    from tileir.codegen.cache.listing import listed

    kept, _ = listed(cache)
    chosen = []
    for name in ids:
        found = [each for each in kept if each.id.startswith(name.lower())]
        if len(name) < _LEAST_ID or len(found) != 1:
            if len(name) < _LEAST_ID:
                problem = f"{name!r} is too short"
            elif found:
                problem = f"{name!r} names {len(found)} of them"
            else:
                problem = f"no compilation has the id {name!r}"
            raise UsageError(f"{problem}; `tileir cache list` has the ids")
        chosen += found
    return chosen


def _toolkit(each: Installed) -> dict[str, Any]:
    return {"name": each.name, "path": each.path, "files": each.files, "bytes": each.size}


def _file(entry: Entry, damaged: Collection[str]) -> dict[str, Any]:
    return {"file": entry.path, "bytes": entry.size, "damaged": entry.path in damaged}


def _tree(kept: Kept, kernels: list[str], damaged: Collection[str]) -> dict[str, Any]:
    parts = [{"kind": kind, **_file(entry, damaged)} for kind, entry in kept.parts.items()]
    return {
        "id": kept.id,
        "current": kept.made_by(_compiler()),
        "kernels": kernels,
        "used": round(kept.used),
        "bytes": kept.size,
        "facts": kept.facts,
        "parts": parts,
    }


def _compiler() -> str | None:
    """Return the hash of our own compiler, which is part of what decides a compilation."""
    from tileir.codegen.cache.key import own_hash

    return own_hash()


def _in_all(entries: list[Entry]) -> str:
    return _amount(len(entries), sum(entry.size for entry in entries))


def _amount(files: int, size: int | None) -> str:
    said = "of unknown size" if size is None else f"{size:,} bytes"
    return f"{files} {'file' if files == 1 else 'files'}, {said}"


def _print_json(cache: Cache, **tree: Any) -> None:
    whole: Mapping[str, Any] = {"schema": SCHEMA, "folder": str(cache.folder), **tree}
    write_output(None, json_line(whole).encode("utf-8", "backslashreplace"))


def _print(line: str) -> None:
    write_output(None, (printable(line) + "\n").encode("utf-8", "backslashreplace"))
