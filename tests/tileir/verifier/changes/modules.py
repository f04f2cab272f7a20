"""What lies around bodies: entries, globals, their names, source locations, the version."""

from __future__ import annotations

import dataclasses

from tests.tileir.verifier.sites import Site, made
from tests.tileir.verifier.variants import other
from tileir.bytecode import Global
from tileir.ir import Value
from tileir.ir.constants import Constant, element_size
from tileir.ir.locations import (
    CallSite,
    CompileUnit,
    File,
    LexicalBlock,
    SourceLocation,
    Subprogram,
)
from tileir.types import FunctionType, Pointer, Scalar, Tile

from .attributes import TEXTS, any_attribute, hints

I32 = Tile(Scalar("i32"))
F32 = Scalar("f32")


def symbol_clash(site: Site) -> str | None:
    """Two things of one name."""
    module = site.bytecode
    kind = site.choice.randrange(4)
    if kind == 0:
        module.functions.append(module.functions[0])
        return "the same function twice"
    if kind == 1:
        _global(site, module.functions[0].name)
        return "a global named as a function"
    if kind == 2:
        name = _global(site, "twin").name
        _global(site, name)
        return "two globals of one name"
    if len(module.functions) < 2:
        return None
    module.functions[1].name = module.functions[0].name
    return "two functions of one name"


def _global(site: Site, name: str, shape: tuple[int, ...] = (4,), element: Scalar = F32) -> Global:
    type = Tile(element, shape)
    value = Constant(type, bytes(element_size(element)))
    site.bytecode.globals.append(Global(name, type, value, 0, False, False))
    return site.bytecode.globals[-1]


def global_use(site: Site) -> str:
    """A get_global of something: a global of the right or wrong type, a function, nothing."""
    choice = site.choice
    kind = choice.randrange(5)
    element = Scalar(choice.choice(("f32", "i32", "i1", "f16", "f4E2M1FN", "tf32", "f8E5M2", "i8")))
    name = "nowhere"
    if kind <= 2:
        name = _global(site, "here", element=element).name
    elif kind == 3:
        name = site.function.name
    pointee = element if kind != 1 else Scalar(choice.choice(("f32", "i64")))
    type = Tile(Pointer(pointee, choice.choice((None, None, "unicast", "multicast", "none"))))
    if site.bytecode.version < (13, 4):
        type = Tile(Pointer(pointee))
    if kind == 2:
        type = other(choice, type)
    site.insert("get_global", {}, {"name": name}, type)
    return f"get_global of {name} ({element}) as {type}"


def global_changed(site: Site) -> str:
    """A global of another type, size or alignment."""
    module, choice = site.bytecode, site.choice
    if not module.globals or choice.random() < 0.3:
        _global(site, "fresh")
    at = choice.randrange(len(module.globals))
    old = module.globals[at]
    kind = choice.randrange(5)
    if kind == 0:
        new = dataclasses.replace(
            old, alignment=choice.choice((0, 1, 2, 3, 5, 128, 1 << 20, 2**40))
        )
    elif kind == 1:
        type = other(choice, old.type)
        element = getattr(type, "element", None)
        size = element_size(element) if isinstance(element, Scalar) else 8
        new = dataclasses.replace(old, type=type, value=Constant(type, bytes(size)))
    elif kind == 2:
        data = bytes(choice.choice((0, 1, 2, 3, 4, 8, 15, 16, 17, 32, 64)))
        new = dataclasses.replace(old, value=Constant(old.type, data))
    elif kind == 3:
        new = dataclasses.replace(old, name=choice.choice(TEXTS[1:]))
    else:
        new = dataclasses.replace(old, private=not old.private, constant=choice.random() < 0.5)
    module.globals[at] = new
    return f"{old.name}: {_spelled(old)} becomes {_spelled(new)}"


def _spelled(item: Global) -> str:
    flags = " private" * item.private + " constant" * item.constant
    return f"{item.name} {item.type} {len(item.value.data)} bytes align {item.alignment}{flags}"


def signature_parameter(site: Site) -> str | None:
    """A parameter of another type, one more or one fewer; the body has the same ones."""
    function, choice = site.function, site.choice
    arguments = function.body.block.arguments
    if arguments and choice.random() < 0.6:
        value = choice.choice(arguments)
        old, value.type = value.type, other(choice, value.type)
        text = f"parameter {value.index}: {old} becomes {value.type}"
    else:
        type = other(choice, I32)
        arguments.append(Value(type, function.body.block, len(arguments), -1))
        text = f"a parameter more, {type}"
    parameters = tuple(value.type for value in arguments)
    function.type = FunctionType(parameters, function.type.results)
    return text


def signature_result(site: Site) -> str:
    """A function with a result; every second time it is returned."""
    function = site.function
    function.type = FunctionType(function.type.parameters, (I32,))
    last = function.body.block.ops[-1]
    if site.choice.random() < 0.5 and last.name == "return":
        inner = Site(site.choice, site.bytecode, function, last, function.body.block)
        last.operands["operands"] = (inner.value(I32),)
    return "the function has a result"


def return_values(site: Site) -> str | None:
    """A return with values that the signature does not have."""
    last = site.function.body.block.ops[-1]
    if last.name != "return" or not site.visible:
        return None
    last.operands["operands"] = (site.choice.choice(site.visible),)
    return "return hands out a value"


def entry_flags(site: Site) -> str:
    """A private entry."""
    site.function.private = not site.function.private
    return f"private {site.function.private}"


def entry_name(site: Site) -> str:
    """Another name, which the source locations take on."""
    names = (
        "a b",
        "1st",
        "x" * 300,
        "é",
        "a.b",
        "a$b",
        "a-b",
        "a\0b",
        "printf",
        "main",
        "if",
        "\n",
    )
    site.function.name = site.choice.choice(names)
    return f"named {site.function.name[:20]!r}"


def entry_hints(site: Site) -> str:
    """Other hints for the whole function."""
    site.function.hints = hints(site.choice)
    return f"hints {site.function.hints}"[:100]


def argument_attributes(site: Site) -> str | None:
    """Attributes of parameters: of other kinds, too many, too few."""
    function, choice = site.function, site.choice
    if site.bytecode.version < (13, 5):
        return None
    count = len(function.type.parameters)
    number = choice.choice((count, count, count, count + 1, max(count - 1, 0)))
    keys = (
        "a.b",
        "a",
        "",
        "cuda_tile.x",
        ".",
        "a.",
        ".b",
        "nv.x",
        "tile.name",
        "a b.c",
        "sym_name",
    )

    def one() -> object:
        if choice.random() < 0.15:
            return any_attribute(choice)
        return {
            choice.choice(keys[:2] + keys[3:]): any_attribute(choice)
            for _ in range(choice.randrange(1, 3))
        }

    function.argument_attributes = tuple(one() for _ in range(number))
    return f"argument attributes {function.argument_attributes}"[:160]


def no_ops(site: Site) -> str:
    """A function without ops, or with a return alone."""
    block = site.function.body.block
    block.ops.clear()
    if site.choice.random() < 0.5:
        block.ops.append(made("return", {}, {}))
    return f"{len(block.ops)} ops"


def location(site: Site) -> str | None:
    """Source locations that belong elsewhere: of the function, or of the op."""
    choice, function = site.choice, site.function
    file = File("a.py", "/x")
    unit = CompileUnit(file)
    name = choice.choice((function.name, function.name, "elsewhere", ""))
    sub = Subprogram(file, choice.choice((1, 2)), "f", name, unit, 1, choice.random() < 0.3)
    scope = choice.choice((sub, sub, sub, LexicalBlock(sub, file, 3, 4)))
    own = SourceLocation(scope, "a.py", 1, 0)
    right = SourceLocation(Subprogram(file, 1, "f", function.name, unit, 1, False), "a.py", 1, 0)
    if isinstance(function.location, SourceLocation):
        right = function.location
    forms = [None, own, SourceLocation(scope, "b.py", 0, 0), CallSite(own, own)]
    forms += [CallSite(own, right), CallSite(right, own), CallSite(None, own), CallSite(own, None)]
    forms += [
        CallSite(None, None),
        SourceLocation(LexicalBlock(right.scope, file, 1, 2), "c", 1, 1),
    ]
    form = choice.choice(forms)
    kind = choice.randrange(4)
    if kind == 0:
        function.location = form
        return f"function at {form}, linkage name {name}"
    if kind == 1:
        function.location = right
    if kind == 2:
        function.location = None
    site.op.location = form
    where = ("as it was", "right", "unknown", "as it was")[kind]
    return f"{site.op.name} at {form}, linkage name {name}, function {where}"


def other_version(site: Site) -> str | None:
    """The header of another version over the same bytes."""
    minors = [minor for minor in range(1, 6) if minor != site.bytecode.version.minor]
    site.bytecode.claimed = site.choice.choice(minors)
    return f"header says 13.{site.bytecode.claimed}"


CHANGES = (
    symbol_clash,
    global_use,
    global_changed,
    signature_parameter,
    signature_result,
    return_values,
    entry_flags,
    entry_name,
    entry_hints,
    argument_attributes,
    no_ops,
    location,
    other_version,
)
