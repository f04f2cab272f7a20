"""Values of every kind, and texts of every op in which one of them stands where another belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

import tileir
from tests.tileir.every_op import GATHER, STRIDED, module_with, ones, partition, pointers, tensor
from tileir.builder import Module
from tileir.builder.kernel import Kernel
from tileir.formats.ops.spec import Op
from tileir.formats.version import LATEST
from tileir.ir import Value

VALUE = re.compile(r"%[\w$]+(?:#\d+)?")
DEFINED = re.compile(r"^ *((?:%[\w:]+, )*%[\w:]+) = ", re.MULTILINE)


def one_of_each_kind(kernel: Kernel) -> list[Value]:
    """A token, tiles of several ranks and elements, pointers, and every view."""
    return [
        kernel.make_token(),
        ones(kernel, "f32"),
        ones(kernel, "i1"),
        ones(kernel, "2xf16"),
        ones(kernel, "16x2x4xi32"),
        kernel.constant(np.zeros(8, np.int8)),
        kernel.parameters[0],
        pointers(kernel),
        tensor(kernel),
        partition(kernel),
        kernel.make_strided_view(tensor(kernel), result=STRIDED),
        kernel.make_gather_scatter_view(tensor(kernel), result=GATHER),
    ]


def _prelude() -> tuple[str, dict[str, str]]:
    """The text that defines those values, and their names with their types as text."""
    module = Module()
    kernel = module.function("main", ["ptr<f32>"])
    wanted = one_of_each_kind(kernel)
    made = [value for op in kernel.body.block.ops for value in op.results]
    kernel.return_()
    lines = tileir.disassemble(module.bytecode()).splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("entry")) + 1
    text = "\n".join(lines[start : lines.index("  return")])
    names = [name for match in DEFINED.finditer(text) for name in match[1].split(", ")]
    types = {
        "%w_" + name[1:]: str(value.type)
        for name, value in zip(names, made, strict=True)
        if value in wanted
    }
    return VALUE.sub(lambda match: "%w_" + match[0][1:].replace("w_", ""), text), types


PRELUDE, KINDS = _prelude()
PRELUDE = PRELUDE.replace("%w_arg0", "%arg0")


def spans_of_types(text: str) -> Iterator[tuple[int, int]]:
    """Where types stand in a text."""
    for match in re.finditer(r"\btoken\b|\b(?:tile|\w+_view)<", text):
        end, depth = match.end(), match[0].endswith("<")
        while depth:
            depth += (text[end] == "<") - (text[end] == ">")
            end += 1
        yield match.start(), end


def text_with(spec: Op) -> tuple[str, str, str]:
    """A module that uses the op: what is before the op, its own text, and what follows."""
    lines = tileir.disassemble(module_with(spec, LATEST).bytecode()).splitlines()
    uses = re.compile(rf"(?:.*= |\s*){spec.mnemonic}\b")
    begin = next(at for at, line in enumerate(lines) if uses.match(line))
    indent, end = len(lines[begin]) - len(lines[begin].lstrip()), begin + 1
    if spec.regions:
        end = lines.index(" " * indent + "}", begin) + 1
    before, own, after = lines[:begin], lines[begin:end], lines[end:]
    entry = next(at for at, line in enumerate(before) if line.startswith("entry")) + 1
    before.insert(entry, PRELUDE)
    return tuple("\n".join(part) + "\n" for part in (before, own, after))


def mutants(before: str, own: str) -> Iterator[str]:
    """An op's text with another value in one place, another type in one, and with all of a type."""
    defined = DEFINED.match(own)
    spans = list(spans_of_types(own))
    stated = list(dict.fromkeys(own[slice(*span)] for span in spans))
    uses = [match.span() for match in VALUE.finditer(own, defined.end() if defined else 0)]
    of_type = _types_of_names(before)
    for name, type in KINDS.items():
        for begin, end in uses:
            changed = own[:begin] + name + own[end:]
            yield changed
            for one in stated:
                yield changed.replace(one, type)
        for begin, end in spans:
            yield own[:begin] + type + own[end:]
        for one in stated:
            yield VALUE.sub(
                lambda use: name if of_type.get(use[0]) == one else use[0],  # noqa: B023
                own.replace(one, type),
            )


def _types_of_names(text: str) -> dict[str, str]:
    """The types of the values that are the only results of their ops, by their names."""
    types = {"%arg0": "tile<ptr<f32>>"}
    for line in text.splitlines():
        defined, spans = DEFINED.match(line), list(spans_of_types(line))
        if defined and spans:
            types[defined[1]] = line[slice(*spans[-1])]
    return types
