"""What a page shows of a file, as a dict of JSON's types: `model`, and for two files `comparison`.

Nothing but construct is needed for it, so it runs wherever Python does. `KEYS` lists its keys.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tileir
from tileir.bytecode import Bytecode
from tileir.errors import BytecodeError
from tileir.explain.annotate import Leaf, annotate, salvage, spans_of
from tileir.formats.cursor import Span
from tileir.formats.version import Version

from .columns import Columns, Pool
from .contents import tables
from .lines import Lines
from .paths import Ranges, blanked, directories, shortened
from .problems import of_module, unreadable
from .sources import sources

SCHEMA = 1

KEYS = """\
--json prints the model that a page draws, one object:
  schema     1; another number when a key goes or means something else
  tool       what made it
  files      one, or two that are compared
  diff       null, or {equal, rows: [[mark, line in A, line in B, note]]}; lines count
             from 0, null stands for none, marks are those of tileir diff
A file has
  name, size, sha256, version, producer, whole (could it be read to its end?)
  bytes      in base64; blanked: [[start, end]] of directories, which are dots in it
  sections   [{name, start, payload, end}]
  texts      each text once; the columns below name them by their index
  fields     columns: length (fields tile the file), node, path (head + name), kind, value,
             meaning, doc
  nodes      columns: level (0 section, 1 function, 2 op, 3 entry, 4 list), text, first (its
             first field), depth, parent and op (-1 for none)
  ops        columns: node, name, end (offset), line (-1: not printed), lines, function,
             location, frame (the innermost, -1 for none), from (the ops that make its operands, -1
             for the function's parameters)
  frames     columns: location, name (of the function), caller (the frame of the call that it was
             inlined by, -1 for none)
  functions  [{name, node, line, lines, location}]
  text       {form, lines}; form is "text", as tileir dis prints it, or "outline", where it cannot
  tables     types, strings, constants, debug: columns field, text, uses
  problems   [{severity, rule, message, offset, function, op, location, hint, about}]
  sources    of --embed-source: [{name, lines, frames, rows}]; each of the frames is at the
             line that rows name, from 0
  kernels    of --target: one for each kernel and GPU, with kernel, target, problems (texts: why
             it cannot be compiled), missing (texts: what is not installed, and so not known),
             verdict (sentences), work (of stats), contract (block, cluster, grid_limits ... and
             parameters: type, meaning, written), resources (of resources) and table (its rows),
             findings (of advise, and ops: their numbers), untried (ids of its rules for which
             there was no time), ptx and sass: {lines, ops}, of each
             line the op that it is made of, -1 for none; stages: texts (each line once) and
             steps: name, headline, dialect, same (the text is that of the step before), lines
             (in texts, null where they are the same or left out for their size) and ops; cost
             of sass: columns op, instructions, looped (those in loops), classes; tileiras: sass,
             cost, resources and table of what it makes; null is what is not known; and pictures:
             layouts and memory (bases of linear maps: of elements in registers, lanes, warps and
             blocks; of bytes in shared memory), and by the number of an op tiles, accesses (turns
             of lanes at the banks), products (fragments of the instruction) and loops (the steps
             of each role); footprints: of --grid, by array the elements that blocks access
"""
"""The keys of a model, as ``tileir report --help`` lists them."""


def model(
    data: bytes,
    name: str = "",
    *,
    paths: bool = False,
    assumed: Version | None = None,
    folder: Path | None = None,
    kernels: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return the model of one file, which may be broken: then it goes as far as can be read.

    Directories in it are blanked unless `paths` are wanted. The file is read as one of the
    `assumed` version, if one is given. Source files that are in a `folder` are part of the model,
    and so are the `kernels`, which `tileir.report.kernels.kernels` makes of the `readable_part`.
    """
    return whole_model(
        [file_model(data, name, paths=paths, assumed=assumed, folder=folder, kernels=kernels)]
    )


def whole_model(files: list[dict[str, Any]], diff: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the model of these files, and of how they differ."""
    tool = f"tileir {tileir.__version__}"
    return {"schema": SCHEMA, "tool": tool, "files": files, "diff": diff}


def file_model(
    data: bytes,
    name: str,
    *,
    paths: bool = False,
    assumed: Version | None = None,
    folder: Path | None = None,
    kernels: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return what a model says of one file."""
    digest, hidden = hashlib.sha256(data).hexdigest(), []
    embedded = [] if folder is None else sources(data, folder, assumed)
    if not paths:
        name = name.replace("\\", "/").rpartition("/")[2]
        hidden = _directories(data, assumed)
        data = blanked(data, hidden)
    said = _said(data, assumed) | {"kernels": list(kernels)}
    first = {"name": name, "size": len(data), "sha256": digest, "blanked": hidden}
    return first | (_shortened(said) if hidden else said) | {"sources": embedded}


def readable_part(data: bytes, paths: bool, assumed: Version | None) -> bytes:
    """Return a file's bytes as the model has them: with directories blanked, unless as `paths`."""
    return data if paths else blanked(data, _directories(data, assumed))


def _directories(data: bytes, assumed: Version | None) -> Ranges:
    """Return where directories are, in a file that may be broken."""
    try:
        spans = spans_of(Bytecode.parse(data, assume_version=assumed).touch())
    except BytecodeError:
        leaves = list(salvage(memoryview(data), assumed)) or _unread(data)
        spans = [
            Span(one.offset, one.offset + one.length, one.section, one.place, one.kind, one.value)
            for one in leaves
        ]
    return directories(data, spans)


def _shortened(value: Any) -> Any:
    """Return a value of JSON's types in which what was blanked is three dots in all texts."""
    if isinstance(value, str):
        return shortened(value) if "...." in value else value
    if isinstance(value, list):
        return [_shortened(item) for item in value] if _has_texts(value) else value
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return value


def _has_texts(items: list[Any]) -> bool:
    return any(isinstance(item, str | list | dict) for item in items)


def _said(data: bytes, assumed: Version | None) -> dict[str, Any]:
    """Return what is in the bytes of a file."""
    pool = Pool()
    columns = Columns(pool)
    bytecode: Bytecode | None = None
    problems: list[dict[str, Any]] = []
    try:
        bytecode = Bytecode.parse(data, assume_version=assumed).touch()
        columns.add(annotate(bytecode), whole=True)
    except BytecodeError as error:
        bytecode, columns = None, Columns(pool)
        columns.add(list(salvage(memoryview(data), assumed)) or _unread(data), whole=False)
        problems.append(unreadable(error))
    lines = Lines(bytecode, columns, pool)
    problems += lines.problems
    if bytecode is not None:
        problems += of_module(bytecode)
    return {
        "whole": bytecode is not None,
        "version": None if bytecode is None else str(bytecode.version),
        "producer": None if bytecode is None else bytecode.producer,
        "bytes": base64.b64encode(data).decode("ascii"),
        "sections": columns.sections(),
        "texts": pool.texts,
        "fields": columns.fields,
        "nodes": columns.nodes,
        "ops": lines.ops,
        "frames": lines.frames,
        "functions": lines.functions,
        "text": {"form": lines.form, "lines": lines.lines},
        "tables": tables(columns, pool, 0 if bytecode is None else len(bytecode.strings)),
        "problems": problems,
    }


def _unread(data: bytes) -> list[Leaf]:
    """Return all bytes of a file that is none of Tile IR as a field; none if there are none."""
    whole = Leaf(0, memoryview(data), "file", "", "file", "unread", "unread", None, "", None)
    return [whole] if data else []
