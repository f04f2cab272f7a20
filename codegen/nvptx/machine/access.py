"""Loads, stores and atomics of global and shared memory, as one PTX instruction each.

They are inline assembly because LLVM has no predicated vector access: it expands masked loads into
a branch per element. `@p ld.global.v4.b32` into registers that hold the padding does what a masked
load means. LLVM keeps such statements in order, which is the order of the ops.

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
"""State spaces, in the names of instructions."""
LARGEST_IMMEDIATE = 2**31 - 1
"""The largest immediate that an instruction adds to an address."""
WORD_BITS = 32
"""Smaller elements are packed into words of this size, if an access has enough of them."""

_CONSTRAINTS = {8: "h", 16: "h", 32: "r", 64: "l"}
_VECTORS = {1: "", 2: ".v2", 4: ".v4"}


@dataclass(frozen=True, slots=True)
class AccessShape:
    """The size of one access: `elements` elements of `bits` bits."""

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
        """The vector suffix in the instruction's name, such as .v2."""
        return _VECTORS[self.count]

    @property
    def mnemonic(self) -> str:
        """Vector suffix and type in the instruction's name, such as .v2.b32."""
        return f"{self.vector}.b{self.word}"


def load(
    builder: ir.IRBuilder,
    shape: AccessShape,
    address: ir.Value,
    immediate: int,
    predicate: ir.Value | None,
    padding: ir.Value | list[ir.Value] | None,
    space: str = GLOBAL,
) -> list[ir.Value]:
    """Load the elements at `address + immediate`, as integers.

    Where the predicate is false they are `padding`: an integer for all elements, or a list with one
    for each. `space` may include order and scope: ".relaxed.gpu.global".
    """
    kind = _register(shape)
    names, count = [f"${index}" for index in range(shape.count)], shape.count
    constraint = _CONSTRAINTS[shape.word]
    outputs = [f"={constraint}"] * count
    text = f"ld{space}{shape.mnemonic} {_braced(names)}, [${count}+${count + 1}];"
    inputs, arguments = [_pointer(address), "n"], [address, _offset(immediate)]
    if predicate is not None:
        text = f"@${count + 2} {text}"
        # An output that is tied to an input has the padding before the instruction.
        inputs += ["b", *map(str, range(count))]
        each = padding if isinstance(padding, list) else [padding] * shape.elements
        words = words_of(builder, shape, each)
        arguments += [predicate, *words]
    result = kind if count == 1 else ir.LiteralStructType([kind] * count)
    loaded = _assembly(builder, result, text, [*outputs, *inputs], arguments)
    words = [loaded] if count == 1 else [builder.extract_value(loaded, k) for k in range(count)]
    return _unpack(builder, shape, words)


def store(
    builder: ir.IRBuilder,
    shape: AccessShape,
    address: ir.Value,
    immediate: int,
    predicate: ir.Value | None,
    elements: Sequence[ir.Value],
    space: str = GLOBAL,
) -> None:
    """Store elements, as integers, to `address + immediate`, if the predicate is true."""
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


def ldmatrix(
    builder: ir.IRBuilder, count: int, transposed: bool, address: ir.Value, immediate: int
) -> list[ir.Value]:
    """Load 1, 2 or 4 matrices of 8 x 16 bytes from shared memory by ldmatrix, a register of each.

    A lane passes the address of row number lane % 8 of matrix number lane / 8.
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
    loaded.attributes.add(
        "convergent"
    )  # a whole warp executes it: LLVM must not move it into a branch
    return [loaded] if count == 1 else [builder.extract_value(loaded, k) for k in range(count)]


def stmatrix(
    builder: ir.IRBuilder,
    words: Sequence[ir.Value],
    transposed: bool,
    address: ir.Value,
    immediate: int,
) -> None:
    """Store 1, 2 or 4 matrices of 8 x 16 bytes to shared memory by stmatrix, a register of each.

    A lane passes the address of a row as for ldmatrix.
    """
    way = ".trans" if transposed else ""
    names = ", ".join(f"${index + 2}" for index in range(len(words)))
    text = f"stmatrix.sync.aligned.m8n8.x{len(words)}{way}.shared.b16 [$0+$1], {{{names}}};"
    inputs = [_pointer(address), "n", *"r" * len(words)]
    arguments = [address, _offset(immediate), *words]
    stored = _assembly(builder, ir.VoidType(), text, inputs, arguments)
    stored.attributes.add("convergent")  # as ldmatrix


def permute_bytes(
    builder: ir.IRBuilder, low: ir.Value, high: ir.Value, chosen: Sequence[int]
) -> ir.Value:
    """Return four of the eight bytes of two registers (prmt), the lowest first."""
    selector = sum(byte << 4 * index for index, byte in enumerate(chosen))
    arguments = [low, high, ir.Constant(low.type, selector)]
    return _assembly(
        builder,
        low.type,
        "prmt.b32 $0, $1, $2, $3;",
        ["=r", "r", "r", "n"],
        arguments,
        side_effect=False,
    )


def atomic(
    builder: ir.IRBuilder,
    name: str,
    address: tuple[ir.Value, int],
    predicate: ir.Value | None,
    words: Sequence[ir.Value],
) -> ir.Value:
    """Emit the atomic instruction `name` at an address; return the old word.

    Where the predicate is false, it is the first of `words`.
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


def load_by(
    builder: ir.IRBuilder,
    name: str,
    address: tuple[ir.Value, int],
    predicate: ir.Value | None,
    otherwise: ir.Value,
) -> ir.Value:
    """Emit a load by the instruction `name`; its result is `otherwise` if not `predicate`."""
    kind = otherwise.type
    constraint = _CONSTRAINTS[kind.width]
    text, inputs = f"{name} $0, [$1+$2];", ["l", "n"]
    arguments = [address[0], _offset(address[1])]
    if predicate is not None:
        text, inputs = f"@$3 {text}", [*inputs, "b", "0"]
        arguments += [predicate, otherwise]
    return _assembly(builder, kind, text, [f"={constraint}", *inputs], arguments)


def update(
    builder: ir.IRBuilder,
    name: str,
    address: tuple[ir.Value, int],
    predicate: ir.Value | None,
    *words: ir.Value,
) -> None:
    """Emit the instruction `name`, which updates memory at an address and returns nothing."""
    names = [f"${index + 2}" for index in range(len(words))]
    text, inputs = f"{name} [$0+$1], {_braced(names)};", ["l", "n"]
    inputs += [_CONSTRAINTS[word.type.width] for word in words]
    arguments = [address[0], _offset(address[1]), *words]
    if predicate is not None:
        text = f"@${len(arguments)} {text}"
        inputs, arguments = [*inputs, "b"], [*arguments, predicate]
    _assembly(builder, ir.VoidType(), text, inputs, arguments)


def offset_address(
    builder: ir.IRBuilder, address: ir.Value, amount: ir.Value, size: int
) -> ir.Value:
    """Return `address + amount * size`, the amount signed, as inline assembly.

    LLVM does not look into it: its straight-line strength reduction would take quadratic time over
    the addresses of a gather.
    """
    if amount.type.width < 32:
        amount = builder.sext(amount, ir.IntType(32))
    # Not `mad`: ptxas fuses the two anyway, but would share the product of several `mad`.
    multiply = "mul.lo.s64" if amount.type.width == 64 else "mul.wide.s32"
    text = f"{multiply} $0, $1, $2; add.s64 $0, $0, $3;"
    inputs = ["=&l", _CONSTRAINTS[amount.type.width], "n", "l"]
    arguments = [amount, ir.Constant(amount.type, size), address]
    return _assembly(builder, address.type, text, inputs, arguments, side_effect=False)


def _assembly(
    builder: ir.IRBuilder,
    result: ir.Type,
    text: str,
    constraints: Sequence[str],
    arguments: Sequence[ir.Value],
    side_effect: bool = True,
) -> ir.Value:
    function = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.asm(function, text, ",".join(constraints), arguments, side_effect)


def _register(shape: AccessShape) -> ir.IntType:
    return ir.IntType(max(shape.word, 16))


def _pointer(address: ir.Value) -> str:
    """Return the constraint of an address; those of shared memory have 32 bits."""
    return _CONSTRAINTS[address.type.width]


def _offset(immediate: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), immediate)


def _braced(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def words_of(
    builder: ir.IRBuilder, shape: AccessShape, elements: Sequence[ir.Value]
) -> list[ir.Value]:
    """Pack elements into words, the first element in the lowest bits."""
    if (shape.bits, shape.word) == (16, 32):
        pairs = zip(elements[::2], elements[1::2], strict=True)
        return [pair_of(builder, low, high) for low, high in pairs]
    per_word, kind = shape.word // shape.bits, _register(shape)
    words = []
    for start in range(0, len(elements), per_word):
        word = None
        for index, element in enumerate(elements[start : start + per_word]):
            part = element if element.type == kind else builder.zext(element, kind)
            if index:
                part = builder.shl(part, ir.Constant(kind, index * shape.bits))
            word = part if word is None else builder.or_(word, part)
        words.append(word)
    return words


def _unpack(builder: ir.IRBuilder, shape: AccessShape, words: Sequence[ir.Value]) -> list[ir.Value]:
    per_word, kind = shape.word // shape.bits, ir.IntType(shape.bits)
    elements = []
    for word in words:
        for index in range(per_word):
            part = word
            if index:
                part = builder.lshr(word, ir.Constant(word.type, index * shape.bits))
            elements.append(part if part.type == kind else builder.trunc(part, kind))
    return elements


# Elements as integers, and back ---------------------------------------------------------------


def integer_type(element: Element) -> ir.IntType:
    """Return the integer type of an element in memory."""
    return ir.IntType(8 * memory_bytes(element))


def bits_of(builder: ir.IRBuilder, value: ir.Value, element: Element) -> ir.Value:
    """Return the integer for a value in memory."""
    return from_bits(builder, to_memory(builder, value, element), integer_type(element))


def value_of(builder: ir.IRBuilder, bits: ir.Value, element: Element) -> ir.Value:
    """Return the value for an integer from memory."""
    return from_memory(builder, from_bits(builder, bits, memory_type(element)), element)
