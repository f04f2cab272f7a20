"""The files of a folder: bytecode, and texts, of which some have several modules.

MLIR's tests put a line ``// -----`` between modules that are read one by one, and mark those with
``expected-error`` that have to be refused.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import tileir
from tileir import Bytecode
from tileir.builder import Editor
from tileir.errors import TileIRError
from tileir.launch.described import described_array
from tileir.launch.roles import roles_of
from tileir.predicates.arguments import Launch, arguments_for
from tileir.types import Scalar, Tile

BYTECODE = (".tileirbc", ".bc", ".cutile")
BETWEEN = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass
class Subject:
    """A file: its name, its path, and what commands have to be told about it."""

    name: str
    path: Path
    words: dict[str, str] = field(default_factory=dict)
    """What stands for FUNCTION, OP, LAUNCH ... in the arguments of commands."""
    options: dict[str, list[str]] = field(default_factory=dict)
    """The same where several arguments stand for one."""

    @property
    def key(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]


def subjects(folder: Path, work: Path) -> list[Subject]:
    """The distinct files below a folder, in an order of chance that is always the same.

    The folders in it take turns, so that the first files are of all of them.
    """
    found: dict[bytes, Subject] = {}
    for path in sorted(folder.rglob("*")):
        for name, data in _parts(path):
            if data not in found:
                suffix = ".mlir" if path.suffix == ".mlir" else ".tileirbc"
                copy = work / f"{hashlib.sha256(data).hexdigest()[:16]}{suffix}"
                copy.write_bytes(data)
                found[data] = Subject(str(Path(name).relative_to(folder)), copy)
    folders: dict[str, list[Subject]] = defaultdict(list)
    for each in found.values():
        folders[Path(each.name).parts[0]].append(each)
    for row in folders.values():
        random.Random(22).shuffle(row)
    turns = zip_longest(*(folders[name] for name in sorted(folders)))
    return [each for turn in turns for each in turn if each is not None]


def _parts(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_file() and path.suffix in BYTECODE:
        yield str(path), path.read_bytes()
    elif path.is_file() and path.suffix == ".mlir":
        parts = BETWEEN.split(path.read_text(encoding="utf-8"))
        for number, part in enumerate(parts):
            name = f"{path}#{number}" if len(parts) > 1 else str(path)
            yield name, part.encode()


def prepare(subject: Subject) -> Subject:
    """Fill in what commands have to be told; what a file does not have, is left out.

    Beside the file are written: the module with one constant more, as bytecode, the module without
    debug info as text, and a launch of the first entry that can be launched.
    """
    try:
        bytecode = _module(subject.path)
        functions = [each for each in bytecode.functions if each.body is not None]
        words = subject.words
        if functions:
            words["FUNCTION"] = functions[0].name
            words["OP"] = list(functions[0].walk())[-1].name
            words["MORE"] = str(_beside(subject, ".more.tileirbc", _one_more(bytecode)))
            for function in functions:
                if _launched(subject, function):
                    break
    except TileIRError:
        pass  # commands are given what there is
    return subject


def _module(path: Path) -> Bytecode:
    if path.suffix == ".mlir":
        return tileir.assemble(path.read_text(encoding="utf-8"))
    return tileir.load(path)


def _beside(subject: Subject, suffix: str, data: bytes) -> Path:
    path = subject.path.with_suffix(suffix)
    path.write_bytes(data)
    return path


def _one_more(bytecode: Bytecode) -> bytes:
    changed = Bytecode.parse(bytecode.build())
    function = next(each for each in changed.functions if each.body is not None)
    first = next(iter(function.walk()))
    Editor(function).before(first).constant(7, result=Tile(Scalar("i64"), ()))
    return changed.build()


def _launched(subject: Subject, entry: Any) -> bool:
    """Describe a launch of an entry; False if there is none."""
    try:
        launch = arguments_for(entry, 2)
    except TileIRError:
        return False
    arguments: list[dict[str, Any]] = []
    for value, element in zip(launch.arguments, launch.elements, strict=True):
        if element:
            dtype = "i8" if element == "f4E2M1FN" else element
            arguments.append(described_array(dtype, value))
        else:
            dtype = "f64" if isinstance(value, float) else "i64"
            plain = int(value) if isinstance(value, bool) else value
            arguments.append({"dtype": dtype, "value": plain})
    described = {
        "schema": 1, "entry": entry.name, "grid": list(launch.grid),
        "arguments": arguments, "results": [],
    }  # fmt: skip
    path = _beside(subject, ".json", json.dumps(described).encode())
    subject.words |= {"LAUNCH": str(path), "ENTRY": entry.name}
    subject.options["ARRAYS"] = _by_role(entry, launch)
    return True


def _by_role(entry: Any, launch: Launch) -> list[str]:
    """Return the launch as options: each array with its extents, and the other scalars."""
    words = []
    for head in (roles := roles_of(entry.body)).arguments:
        number = head if isinstance(head, int) else head.parameter
        value, element = launch.arguments[number], launch.elements[number]
        if not element:
            words += ["--arg", str(value)]
            continue
        role = next(each for each in roles.arrays if each.parameter == number)
        sizes = [
            launch.arguments[size.parameter] if size.constant is None else size.constant
            for size in role.shape or ()
            if size.constant is not None or size.parameter is not None
        ]
        shape = "x".join(map(str, sizes)) or str(value.size)
        words += ["--array", f"random:{shape}:{element}:{number + 1}"]
    return [*words, "--grid", ",".join(map(str, launch.grid))]
