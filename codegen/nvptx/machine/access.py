"""Loads and stores of global and shared memory, as one PTX instruction each.

They are inline assembly because LLVM has no predicated vector access: its masked loads fall apart
into a branch per element. `@p ld.global.v4.b32` on registers that hold the padding already does
what a masked load means. LLVM keeps such statements in their order, which is the order of the ops.

An access moves `count` words of 8, 16, 32 or 64 bits; elements are packed into words here. All
values are integers: a register has no type in PTX, so casts from and to floats cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from tileir.codegen.scalar.bits import from_bits, pair_of
from tileir.codegen.scalar.types import from_memory, memory_bytes, memory_type, to_memory
from tileir.types import Element

GLOBAL, SHARED = ".global", ".shared"
"""Spaces of memory, in the names of instructions."""
LARGEST_IMMEDIATE = 2**31 - 1
"""The largest constant that can be added to an address within an instruction."""
WORD_BITS = 32
"""Elements smaller than this share words where an access is as wide."""

_CONSTRAINTS = {8: "h", 16: "h", 32: "r", 64: "l"}
_VECTORS = {1: "", 2: ".v2", 4: ".v4"}


@dataclass(frozen=True, slots=True)
class AccessShape:
    """What one access moves: `elements` elements of `bits` bits."""

    bits: int
    elements: int

    @property
    def word(self) -> int:
        """Bits of one word."""
        return max(self.bits, min(self.bits * self.elements, WORD_BITS))

    @property
    def count(self) -> int:
        """Number of words."""
        return self.bits * self.elements // self.word

    @property
    def vector(self) -> str:
        """The part of the instruction's name that says how many words it moves."""
        return _VECTORS[self.count]

    @property
    def mnemonic(self) -> str:
        """The part that says how much it moves."""
        return f"{self.vector}.b{self.word}"


def load(
    builder: ir.IRBuilder, shape: AccessShape, address: ir.Value, immediate: int,
    predicate: ir.Value | None, padding: ir.Value | list[ir.Value] | None, space: str = GLOBAL,
) -> list[ir.Value]:  # fmt: skip
    """The elements at `address + immediate`, as integers; where not `predicate`, `padding`.

    That is one integer for all elements, or a list of one each.
    `space` may also say how an access of global memory is ordered: ".relaxed.gpu.global".
    """
    kind = _register(shape)
    names, count = [f"${index}" for index in range(shape.count)], shape.count
    constraint = _CONSTRAINTS[shape.word]
    outputs = [f"={constraint}"] * count
    text = f"ld{space}{shape.mnemonic} {_braced(names)}, [${count}+${count + 1}];"
    inputs, arguments = [_pointer(address), "n"], [address, _offset(immediate)]
    if predicate is not None:
        text = f"@${count + 2} {text}"
        # Tying an output to an input puts the padding into the register beforehand.
        inputs += ["b", *map(str, range(count))]
        each = padding if isinstance(padding, list) else [padding] * shape.elements
        words = words_of(builder, shape, each)
        arguments += [predicate, *words]
    result = kind if count == 1 else ir.LiteralStructType([kind] * count)
    loaded = _assembly(builder, result, text, [*outputs, *inputs], arguments)
    words = [loaded] if count == 1 else [builder.extract_value(loaded, k) for k in range(count)]
    return _unpack(builder, shape, words)


def store(
    builder: ir.IRBuilder, shape: AccessShape, address: ir.Value, immediate: int,
    predicate: ir.Value | None, elements: Sequence[ir.Value], space: str = GLOBAL,
) -> None:  # fmt: skip
    """Write the elements (integers) to `address + immediate`, if `predicate`."""
    words = words_of(builder, shape, elements)
    names = [f"${index + 2}" for index in range(len(words))]
    text = f"st{space}{shape.mnemonic} [$0+$1], {_braced(names)};"
    inputs = [_pointer(address), "n", *[_CONSTRAINTS[shape.word]] * len(words)]
    arguments = [address, _offset(immediate), *words]
    if predicate is not None:
        text = f"@${len(arguments)} {text}"
        inputs.append("b")
        arguments.append(predicate)
    _assembly(builder, ir.VoidType(), text, inputs, arguments)


def matrices(
    builder: ir.IRBuilder, count: int, transposed: bool, address: ir.Value, immediate: int
) -> list[ir.Value]:
    """1, 2 or 4 matrices of 8 x 16 bytes in shared memory, a register of each.

    The address is that of row number lane % 8 of matrix number lane / 8.
    """
    names = [f"${index}" for index in range(count)]
    way = ".trans" if transposed else ""
    text = f"ldmatrix.sync.aligned.m8n8.x{count}{way}.shared.b16 {{{', '.join(names)}}}, "
    text += f"[${count}+${count + 1}];"
    word = ir.IntType(32)
    result = word if count == 1 else ir.LiteralStructType([word] * count)
    inputs = [_pointer(address), "n"]
    loaded = _assembly(
        builder, result, text, ["=r"] * count + inputs, [address, _offset(immediate)]
    )
    loaded.attributes.add("convergent")  # whole warps carry it out, wherever LLVM moves it
    return [loaded] if count == 1 else [builder.extract_value(loaded, k) for k in range(count)]


def bytes_of(
    builder: ir.IRBuilder, low: ir.Value, high: ir.Value, chosen: Sequence[int]
) -> ir.Value:
    """Four of the eight bytes of two registers, the lowest first."""
    selector = sum(byte << 4 * place for place, byte in enumerate(chosen))
    arguments = [low, high, ir.Constant(low.type, selector)]
    return _assembly(
        builder, low.type, "prmt.b32 $0, $1, $2, $3;", ["=r", "r", "r", "n"], arguments,
        side_effect=False,
    )  # fmt: skip


def change(
    builder: ir.IRBuilder, name: str, address: tuple[ir.Value, int], predicate: ir.Value | None,
    words: Sequence[ir.Value],
) -> ir.Value:  # fmt: skip
    """The atomic instruction `name` on memory at a place: the word that was there.

    The first of `words`, where not `predicate`.
    """
    kind, count = words[0].type, len(words)
    constraint = _CONSTRAINTS[kind.width]
    text = f"{name} $0, [$1+$2], {', '.join(f'${k + 3}' for k in range(count))};"
    inputs, arguments = ["l", "n", *[constraint] * count], [address[0], _offset(address[1]), *words]
    if predicate is not None:
        text = f"@${count + 3} {text}"
        inputs += ["b", "0"]
        arguments += [predicate, words[0]]
    return _assembly(builder, kind, text, [f"={constraint}", *inputs], arguments)


def fetch(
    builder: ir.IRBuilder, name: str, address: tuple[ir.Value, int], predicate: ir.Value | None,
    otherwise: ir.Value,
) -> ir.Value:  # fmt: skip
    """What the instruction `name` finds at a place; `otherwise`, where not `predicate`."""
    kind = otherwise.type
    constraint = _CONSTRAINTS[kind.width]
    text, inputs = f"{name} $0, [$1+$2];", ["l", "n"]
    arguments = [address[0], _offset(address[1])]
    if predicate is not None:
        text, inputs = f"@$3 {text}", [*inputs, "b", "0"]
        arguments += [predicate, otherwise]
    return _assembly(builder, kind, text, [f"={constraint}", *inputs], arguments)


def reduce(
    builder: ir.IRBuilder, name: str, address: tuple[ir.Value, int], predicate: ir.Value | None,
    *words: ir.Value,
) -> None:  # fmt: skip
    """The instruction `name` on memory at a place that returns nothing: atomic, or of replicas."""
    names = [f"${index + 2}" for index in range(len(words))]
    text, inputs = f"{name} [$0+$1], {_braced(names)};", ["l", "n"]
    inputs += [_CONSTRAINTS[word.type.width] for word in words]
    arguments = [address[0], _offset(address[1]), *words]
    if predicate is not None:
        text = f"@${len(arguments)} {text}"
        inputs, arguments = [*inputs, "b"], [*arguments, predicate]
    _assembly(builder, ir.VoidType(), text, inputs, arguments)


def move_address(builder: ir.IRBuilder, address: ir.Value, amount: ir.Value, size: int) -> ir.Value:
    """`address + amount * size`, the amount signed, as one statement that LLVM cannot see into.

    LLVM's straight-line strength reduction takes quadratic time over the addresses of a gather.
    """
    if amount.type.width < 32:
        amount = builder.sext(amount, ir.IntType(32))
    # Not `mad`: ptxas makes one instruction of two, but of several `mad` a product that they share.
    multiply = "mul.lo.s64" if amount.type.width == 64 else "mul.wide.s32"
    text = f"{multiply} $0, $1, $2; add.s64 $0, $0, $3;"
    inputs = ["=&l", _CONSTRAINTS[amount.type.width], "n", "l"]
    arguments = [amount, ir.Constant(amount.type, size), address]
    return _assembly(builder, address.type, text, inputs, arguments, side_effect=False)


def _assembly(
    builder: ir.IRBuilder, result: ir.Type, text: str, constraints: Sequence[str],
    arguments: Sequence[ir.Value], side_effect: bool = True,
) -> ir.Value:  # fmt: skip
    function = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.asm(function, text, ",".join(constraints), arguments, side_effect)


def _register(shape: AccessShape) -> ir.IntType:
    return ir.IntType(max(shape.word, 16))


def _pointer(address: ir.Value) -> str:
    """Addresses of shared memory have 32 bits."""
    return _CONSTRAINTS[address.type.width]


def _offset(immediate: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), immediate)


def _braced(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def words_of(
    builder: ir.IRBuilder, shape: AccessShape, elements: Sequence[ir.Value]
) -> list[ir.Value]:
    """Words from elements, first element in the lowest bits."""
    if (shape.bits, shape.word) == (16, 32):
        pairs = zip(elements[::2], elements[1::2], strict=True)
        return [pair_of(builder, low, high) for low, high in pairs]
    per_word, kind = shape.word // shape.bits, _register(shape)
    words = []
    for start in range(0, len(elements), per_word):
        word = None
        for position, element in enumerate(elements[start : start + per_word]):
            part = element if element.type == kind else builder.zext(element, kind)
            if position:
                part = builder.shl(part, ir.Constant(kind, position * shape.bits))
            word = part if word is None else builder.or_(word, part)
        words.append(word)
    return words


def _unpack(builder: ir.IRBuilder, shape: AccessShape, words: Sequence[ir.Value]) -> list[ir.Value]:
    per_word, kind = shape.word // shape.bits, ir.IntType(shape.bits)
    elements = []
    for word in words:
        for position in range(per_word):
            part = word
            if position:
                part = builder.lshr(word, ir.Constant(word.type, position * shape.bits))
            elements.append(part if part.type == kind else builder.trunc(part, kind))
    return elements


# Elements as integers, and back ---------------------------------------------------------------


def integer_type(element: Element) -> ir.IntType:
    """The integer that an element is in memory."""
    return ir.IntType(8 * memory_bytes(element))


def bits_of(builder: ir.IRBuilder, value: ir.Value, element: Element) -> ir.Value:
    """The integer that a value becomes in memory."""
    return from_bits(builder, to_memory(builder, value, element), integer_type(element))


def value_of(builder: ir.IRBuilder, bits: ir.Value, element: Element) -> ir.Value:
    """The value of an integer from memory."""
    return from_memory(builder, from_bits(builder, bits, memory_type(element)), element)
