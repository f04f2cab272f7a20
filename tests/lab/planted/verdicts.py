"""Two verifiers disagree about a module: a rule is planted as broken that one of them lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tileir import Bytecode, TileIRError, verify
from tileir.attributes import IntegerAttribute
from tileir.ir import Op
from tileir.types import Scalar, Tile


@dataclass(frozen=True)
class Disagree:
    """Holds if a verifier with all rules refuses a module, and one without this rule accepts it."""

    rule: str

    @property
    def description(self) -> str:
        """When it holds."""
        return f"a verifier without {self.rule} accepts what ours refuses"

    def holds(self, data: bytes) -> bool:
        """Whether that rule is all that is broken."""
        try:
            found = verify(data)
        except TileIRError:
            return False
        return {each.kind for each in found if each.severity == "error"} == {self.rule}


def _ops(bytecode: Bytecode, name: str) -> list[Op]:
    return [op for function in bytecode.functions for op in function.walk() if op.name == name]


def _other_type(bytecode: Bytecode) -> None:
    """A sum of two types: `same-type`."""
    for op in _ops(bytecode, "addi"):
        type = op.result.type
        others = [
            value
            for other in _ops(bytecode, "constant")
            for value in other.results
            if value.type != type and value.type.element.is_integer and value.is_visible_to(op)
        ]
        if others:
            op.operands["rhs"] = others[0]
            return
    raise LookupError


def _nothing_handed_over(bytecode: Bytecode) -> None:
    """A continue without its last value: `handed-over`."""
    op = [op for op in _ops(bytecode, "continue") if len(op.operands["operands"]) > 1][-1]
    op.operands["operands"] = op.operands["operands"][:-1]


def _other_identity(bytecode: Bytecode) -> None:
    """An identity of another type than the operand: `identities`."""
    op = [op for op in _ops(bytecode, "reduce") if len(op.results) == 1][-1]
    op.attributes["identities"] = (IntegerAttribute(Scalar("i1"), 1),)


def _beyond_the_rank(bytecode: Bytecode) -> None:
    """A reduction along a dimension that is not there: `combined-tiles`."""
    op = _ops(bytecode, "reduce")[-1]
    op.attributes["dim"] = op.operands["operands"][0].type.rank


def _yields_a_tile(bytecode: Bytecode) -> None:
    """A reduction whose region yields a tile: ours refuses that, NVIDIA's disassembler does not."""
    for op in _ops(bytecode, "reduce"):
        (block,) = op.regions[0].blocks
        last = block.ops[-1]
        handed = last.operands["operands"]
        others = (v for f in bytecode.functions for o in f.walk() for v in o.results)
        for tile in others:
            alike = isinstance(tile.type, Tile) and tile.type.element == handed[0].type.element
            if alike and tile.type.rank and tile.is_visible_to(op):
                last.operands["operands"] = (tile, *handed[1:])
                return
    raise LookupError


PLANTED: dict[str, Callable[[Bytecode], None]] = {
    "same-type": _other_type,
    "handed-over": _nothing_handed_over,
    "identities": _other_identity,
    "combined-tiles": _beyond_the_rank,
    "yielded tile": _yields_a_tile,
}


def planted(bytecode: Bytecode, name: str) -> bytes:
    """Return the file of a module in which a rule is broken; LookupError if it has no such op."""
    PLANTED[name](bytecode)
    return bytecode.build(check=False)
