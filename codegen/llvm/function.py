"""Functions of LLVM IR that are printed at half the cost, and calls that are made so.

llvmlite formats an instruction by three calls for each operand, names and types anew each time. The
text here is the same; what is rare is left to llvmlite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from llvmlite import ir
from llvmlite.ir import instructions as llvm
from llvmlite.ir._utils import NameScope

_CONVERGENT = {"convergent"}


class Function(ir.Function):
    """A function with a body of many instructions."""

    def __init__(self, module: ir.Module, kind: ir.FunctionType, name: str) -> None:
        super().__init__(module, kind, name)
        self.scope = _Numbering(len(self.args))

    def descr_body(self, buf: list[str]) -> None:
        """Append the lines of all blocks."""
        types = _Types()
        for block in self.blocks:
            head: list[str] = []
            instructions, block.instructions = block.instructions, []
            block.descr(head)
            block.instructions = instructions
            buf += head
            for each in instructions:
                line = None if each.metadata else _LINES.get(type(each), _other)(each, types)
                buf.append(f"  {line or each}\n")


class _Numbering(NameScope):
    """Names of values: what has none gets the next number, without a search for a free name."""

    def __init__(self, taken: int) -> None:
        super().__init__()
        self._taken = taken

    def register(self, name: str, deduplicate: bool = False) -> str:
        if name:
            return super().register(name, deduplicate)
        self._taken += 1
        return f".{self._taken}"


class Call(llvm.CallInstr):
    """A call whose arguments are taken to have the types that the callee wants."""

    def __init__(
        self,
        parent: ir.Block,
        callee: ir.Function | llvm.InlineAsm,
        arguments: Sequence[ir.Value],
        name: str = "",
    ) -> None:
        kind = callee.function_type.return_type
        llvm.Instruction.__init__(self, parent, kind, "call", [callee, *arguments], name=name)
        self.cconv = callee.calling_convention if isinstance(callee, ir.Function) else None
        self.tail = ""
        self.fastmath = llvm.FastMathFlags()
        self.attributes = llvm.CallInstrAttributes()
        self.arg_attributes = {}


class _Types(dict[int, str]):
    """The text of types and of what is called, by identity: of objects that outlive it."""

    def of(self, kind: ir.Type | llvm.InlineAsm) -> str:
        found = self.get(id(kind))
        if found is None:
            found = self[id(kind)] = str(kind)
        return found


Line = Callable[[llvm.Instruction, _Types], str | None]
"""The text of an instruction without metadata; None where llvmlite prints it."""


def _other(_each: llvm.Instruction, _types: _Types) -> None:
    return None


def _plain(each: llvm.Instruction, types: _Types) -> str | None:
    if len(each.operands) != 2 or each.flags:
        return None
    a, b = each.operands
    kind = types.of(each.type)
    return f"{each.get_reference()} = {each.opname} {kind} {a.get_reference()}, {b.get_reference()}"


def _compare(each: llvm.CompareInstr, types: _Types) -> str | None:
    if each.flags:
        return None
    a, b = each.operands
    return (
        f"{each.get_reference()} = {each.opname} {each.op} {types.of(a.type)}"
        f" {a.get_reference()}, {b.get_reference()}"
    )


def _cast(each: llvm.CastInstr, types: _Types) -> str:
    (a,) = each.operands
    return (
        f"{each.get_reference()} = {each.opname} {types.of(a.type)} {a.get_reference()}"
        f" to {types.of(each.type)}"
    )


def _extract(each: llvm.ExtractValue, types: _Types) -> str | None:
    if len(each.indices) != 1:
        return None
    whole = each.aggregate
    return (
        f"{each.get_reference()} = extractvalue {types.of(whole.type)}"
        f" {whole.get_reference()}, {each.indices[0]}"
    )


def _load(each: llvm.LoadInstr, types: _Types) -> str | None:
    if each.align is not None:
        return None
    (a,) = each.operands
    return (
        f"{each.get_reference()} = load {types.of(each.type)}, {types.of(a.type)}"
        f" {a.get_reference()}"
    )


def _store(each: llvm.StoreInstr, types: _Types) -> str | None:
    if each.align is not None:
        return None
    value, address = each.operands
    return (
        f"store {types.of(value.type)} {value.get_reference()}, {types.of(address.type)}"
        f" {address.get_reference()}"
    )


def _call(each: llvm.CallInstr, types: _Types) -> str | None:
    callee, *arguments = each.operands
    odd = each.cconv or each.tail or each.fastmath or each.arg_attributes
    if odd or callee.function_type.var_arg or not each.attributes <= _CONVERGENT:
        return None
    name = types.get(id(callee))
    if name is None:
        name = f"{callee.function_type.return_type} {callee.get_reference()}"
        types[id(callee)] = name
    given = ", ".join([f"{types.of(value.type)} {value.get_reference()}" for value in arguments])
    result = "" if isinstance(each.type, ir.VoidType) else f"{each.get_reference()} = "
    return f"{result}call {name}({given}){' convergent' if each.attributes else ''}"


_LINES: Mapping[type[llvm.Instruction], Line] = {
    llvm.Instruction: _plain,
    llvm.ICMPInstr: _compare,
    llvm.CastInstr: _cast,
    llvm.ExtractValue: _extract,
    llvm.LoadInstr: _load,
    llvm.StoreInstr: _store,
    llvm.CallInstr: _call,
    Call: _call,
}
