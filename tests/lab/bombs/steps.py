"""What is done with a bomb: each step is what one command does with a file or a text."""

from __future__ import annotations

import json
from collections.abc import Callable

import tileir
from tileir import Bytecode, TileIRError
from tileir.diff import compare
from tileir.diff.report import as_json
from tileir.diff.unified import unified
from tileir.explain.annotate import Leaf, annotate, salvage
from tileir.explain.op_tree import op_tree
from tileir.inspect import as_json as leaf_as_json
from tileir.inspect import render
from tileir.rewrite.opt import opt
from tileir.rewrite.passes import DEFAULT
from tileir.rewrite.strip import PARTS, strip

OK = "ok"


def read(data: bytes) -> None:
    bytecode = Bytecode.parse(data).touch()
    for warning in bytecode.warnings:
        str(warning)


def strictly(data: bytes) -> None:
    Bytecode.parse(data, strict=True)


def verify(data: bytes) -> None:
    for diagnostic in tileir.verify(data, target="sm_100"):
        str(diagnostic)


def print_text(data: bytes) -> None:
    tileir.disassemble(data)


def print_locations(data: bytes) -> None:
    tileir.disassemble(data, debug=True)


def print_tree(data: bytes) -> None:
    op_tree(Bytecode.parse(data))


def inspect(data: bytes) -> None:
    for _ in render(_leaves(data)):
        pass


def inspect_json(data: bytes) -> None:
    for leaf in _leaves(data):
        if isinstance(leaf, Leaf):
            json.dumps(leaf_as_json(leaf), ensure_ascii=False)


def _leaves(data: bytes):
    """What `tileir inspect` shows; of a file that cannot be read, what can be."""
    try:
        bytecode = Bytecode.parse(data).touch()
    except TileIRError:
        return salvage(memoryview(data))
    return annotate(bytecode)


def build(data: bytes) -> None:
    Bytecode.parse(data).touch().build()


def edit(data: bytes) -> None:
    """Give every tenth kernel and op another name or location, and write."""
    bytecode = Bytecode.parse(data)
    for function in bytecode.functions[::10]:
        function.name = "other" + function.name[:100]
        for op in list(function.walk())[::10]:
            op.location = None
    Bytecode.parse(bytecode.build(check=False)).touch()


def diff(data: bytes) -> None:
    """Compare with a module that has every tenth op twice, both ways, and print it."""
    before, after = Bytecode.parse(data), Bytecode.parse(data)
    for function in after.functions:
        doubled = set([op for op in function.walk() if not op.regions][::10])
        for block in {op.parent for op in doubled}:
            block.ops = [
                each for op in block.ops for each in ((op.clone(), op) if op in doubled else (op,))
            ]
    for pair in ((before, after), (after, before)):
        difference = compare(*pair, locations=True, tables=True)
        for line in unified(difference):
            len(line)
        as_json(difference, ("a", "b"))


def retarget(data: bytes) -> None:
    bytecode = Bytecode.parse(data)
    bytecode.to_version("13.3" if bytecode.version != (13, 3) else "13.4")


def optimise(data: bytes) -> None:
    opt(Bytecode.parse(data), [*DEFAULT, "count-loops"])


def strip_all(data: bytes) -> None:
    strip(Bytecode.parse(data), PARTS)


def assemble(text: str) -> None:
    tileir.assemble(text)


def assemble_print(text: str) -> None:
    tileir.disassemble(tileir.assemble(text), debug=True)


def assemble_verify(text: str) -> None:
    bytecode = tileir.assemble(text)
    for diagnostic in tileir.verify(bytecode):
        str(diagnostic)


BYTES: dict[str, Callable[[bytes], None]] = {
    made.__name__: made
    for made in (
        read,
        strictly,
        verify,
        print_text,
        print_locations,
        print_tree,
        inspect,
        inspect_json,
        build,
        edit,
        diff,
        retarget,
        optimise,
        strip_all,
    )
}
TEXT: dict[str, Callable[[str], None]] = {
    made.__name__: made for made in (assemble, assemble_print, assemble_verify)
}


def of(given: bytes | str) -> dict[str, Callable]:
    """The steps for a file, or for a text."""
    return TEXT if isinstance(given, str) else BYTES


def outcome(step: Callable, given: bytes | str) -> str:
    """Take a step: "ok", or the kind of the error that is raised on purpose. Others escape."""
    try:
        step(given)
    except TileIRError as error:
        str(error)
        return getattr(error, "kind", type(error).__name__)
    return OK
