"""Ops, from the rows of the op table, the tables of lowerings, and what compiling makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from construct import Construct

from tileir.codegen.host.lowering.inline import INLINE
from tileir.codegen.host.lowering.rows import ROWS as HOST_ROWS
from tileir.codegen.ops import BY_NAME as TRAITS
from tileir.codegen.ops.spec import Family
from tileir.formats.leaves import EnumValue
from tileir.formats.ops import CHAPTERS, OPS
from tileir.formats.ops.assembly import format_of
from tileir.formats.ops.spec import Attribute, Elements, Like, Op, Pointee, Reduced, ViewTile
from tileir.formats.tables.notation import layout
from tileir.formats.version import V13_1
from tileir.verifier import document
from tileir.verifier.catalogue import RULES

from .examples import SHOWN_TARGETS, example_of, instructions, lines_of
from .markdown import code, op_label, op_link, prose, table, words

MOST_INSTRUCTIONS = 12
"""Of an op that becomes more of them, the first ones are shown."""
ARITY = {"one": "", "optional": "may be absent", "many": "any number"}


def name_of(module: Any) -> str:
    """Return the name of a chapter: that of its module."""
    return module.__name__.rpartition(".")[2]


def title_of(module: Any) -> str:
    """Return the title of a chapter's page."""
    return name_of(module).replace("_", " ").capitalize()


def op_index() -> str:
    """Return a table of all ops."""
    rows = [
        (op_link(op.mnemonic), f"`0x{op.opcode:02x}`",
         "" if op.since == V13_1 else op.since, title_of(module), op.doc.split("\n")[0])
        for module in CHAPTERS
        for op in module.OPS
    ]  # fmt: skip
    assert len(rows) == len(OPS)
    head = ("op", "opcode", "since", "chapter", "what it does")
    return table(head, sorted(rows))


def chapter(name: str) -> str:
    """Return the sections of the ops of a chapter."""
    (module,) = (each for each in CHAPTERS if name_of(each) == name)
    ops = sorted(module.OPS, key=lambda op: op.mnemonic)
    return prose(module.__doc__) + "\n" + "\n".join("\n".join(_section(op)) for op in ops)


def _section(op: Op) -> Iterator[str]:
    yield f"({op_label(op.mnemonic)})=\n## {op.mnemonic}\n"
    yield prose(op.doc)
    yield _facts(op)
    if format_of(op):
        results = ", ".join(f"%{slot.name}" for slot in op.results)
        text = f"{results} = " if results else ""
        yield "As text:\n\n" + code(f"{text}{op.mnemonic}{format_of(op)}")
    yield from _slots(op)
    yield from _agreements(op)
    yield from _lowering(op)
    yield from _example(op)


def _facts(op: Op) -> str:
    said = [f"Opcode {op.opcode} (`0x{op.opcode:02x}`)"]
    said.append(f"since {op.since}")
    if op.aliases:
        said.append(f"formerly {words(op.aliases)}")
    if not op.in_body:
        said.append("an item of a module, not an op of a body")
    return ", ".join(said) + f". Effect: {op.effects}.\n"


def _slots(op: Op) -> Iterator[str]:
    head = ("", "type", "how many", "since", "meaning")
    operands = table(
        ("operand", *head[1:]),
        (
            (f"`{slot.name}`", slot.type if slot.type.kinds else "any", ARITY[slot.arity],
             _since(slot), slot.doc)
            for slot in op.operands
        ),
    )  # fmt: skip
    results = table(
        ("result", *head[1:]),
        (
            (f"`{slot.name}`", _result_type(slot), ARITY[slot.arity], _since(slot), slot.doc)
            for slot in op.results
        ),
    )
    attributes = table(
        ("attribute", "value", "default", "since", "meaning"),
        (
            (f"`{slot.name}`", _value(slot), _default(slot), _since(slot), slot.doc)
            for slot in op.attributes
        ),
    )
    regions = table(
        ("region", "arguments", "ends with", "", "meaning"),
        (
            (f"`{slot.name}`", slot.arguments, words(slot.terminators),
             "may be empty" if slot.may_be_empty else "", slot.doc)
            for slot in op.regions
        ),
    )  # fmt: skip
    yield from (f"{each}\n" for each in (operands, results, attributes, regions) if each)


def _since(slot: Any) -> object:
    return "" if slot.since == V13_1 else slot.since


def _result_type(slot: Any) -> str:
    kind = str(slot.type) if slot.type.kinds else "any"
    match slot.inference:
        case Like(of, ""):
            return f"{kind}: that of `{of}`"
        case Like(of, element):
            return f"{kind}: that of `{of}`, of {element}"
        case ViewTile(of):
            return f"{kind}: the tile of `{of}`"
        case Pointee(of):
            return f"{kind}: what `{of}` points to"
        case Reduced(of, dim):
            return f"{kind}: those of `{of}` without dimension `{dim}`"
        case Elements(of):
            return f"{kind}: elements of `{of}`"
    return kind


def _value(slot: Attribute) -> str:
    if isinstance(slot.node, EnumValue):
        return f"{slot.node.enum.name}: {words(slot.cases)}"
    if not isinstance(slot.node, Construct):
        return "present or not"
    return re.sub(r"\[([\w ]+)\]\([^)]*\)", r"\1", layout(slot.node))


def _default(slot: Attribute) -> str:
    if slot.node is None or (slot.optional and slot.default is None):
        return "absent"
    return "" if slot.default is None else f"`{slot.default}`"


def _agreements(op: Op) -> Iterator[str]:
    lines = [f"- {words(group)} have one type." for group in op.same_type]
    lines += [f"- {words(group)} have one element type." for group in op.same_element]
    lines += [f"- {words(group)} have one shape." for group in op.same_shape]
    assert document.PATH  # importing it declares all rules
    rules = [rule for rule in RULES.values() if op.mnemonic in rule.ops]
    links = ", ".join(f"{{ref}}`{rule.id} <rule-{rule.id}>`" for rule in rules)
    lines += [f"- Rules: {links}."] if rules else []
    if lines:
        yield "**Constraints**\n\n" + "\n".join(lines) + "\n"


def _lowering(op: Op) -> Iterator[str]:
    if not op.in_body:
        return
    yield f"**How it is lowered.** {_on_the_cpu(op)}\n"
    if example_of(op.mnemonic) is None:
        return
    rows = []
    for target in SHOWN_TARGETS:
        found = instructions(op.mnemonic, target)
        if isinstance(found, list):
            more = len(found) - MOST_INSTRUCTIONS
            shown = words(found[:MOST_INSTRUCTIONS]) + (f" and {more} more" if more > 0 else "")
            rows.append((f"`{target}`", shown or "no instruction of its own"))
        else:
            rows.append((f"`{target}`", f"not: {found}"))
    if len({text for _, text in rows}) == 1:
        rows = [("each of " + ", ".join(name for name, _ in rows), rows[0][1])]
    yield "On a GPU, in the example below:\n\n" + table(("target", "PTX"), rows)


ON_THE_CPU = {
    Family.TOKEN: "nothing is emitted, as the order of the program satisfies all tokens",
    Family.FENCE: "nothing is emitted: the order of the program is enough, and no grid depends on "
    "this one",
    Family.QUERY: "it is a number, and takes no loop",
    Family.VIEW: "it is an address with extents and strides, and takes no loop",
    Family.VARIABLE: "it is an address, and takes no loop",
    Family.LOOP: "it is a loop around those of the ops inside",
    Family.BRANCH: "it is a branch around the loops of the ops inside",
    Family.TERMINATOR: "it hands on what is carried: numbers on the stack, tiles in buffers",
    Family.PRODUCT: "its operands are copied into panels for a microkernel",
    Family.FOLD: "its region is emitted inside of a loop over the elements",
}
"""How ops that are not inline are lowered for the CPU, unless it is a loop over their elements."""


def _on_the_cpu(op: Op) -> str:
    family = TRAITS[op.mnemonic].family
    if op.mnemonic in INLINE or family is Family.ELEMENT_WISE:
        return "On the CPU, an element is computed in the loops that want it."
    if op.mnemonic not in HOST_ROWS:
        return "It is not lowered for the CPU."
    return f"On the CPU, {ON_THE_CPU.get(family, 'it has a loop over its elements')}."


def _example(op: Op) -> Iterator[str]:
    example = example_of(op.mnemonic)
    if example is None:
        return
    lines = ",".join(map(str, lines_of(op.mnemonic, example.text)))
    checked = ", which the tests run beside NumPy" if example.launched else ""
    yield f":::::{{dropdown}} Example: `{example.file}`{checked}"
    yield f"````{{code-block}} mlir\n:emphasize-lines: {lines}\n\n{example.text.rstrip()}\n````"
    yield ":::::\n"
