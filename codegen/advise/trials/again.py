"""The trial of a tile that is loaded although the block has it: from a load or store before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.ops.extents import tensor_view_op
from tileir.codegen.transform.equal_ops import Numbering
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Block, Op, Value
from tileir.types import Pointer, Tile

from .parameters import origin, slice_of
from .trial import Trial


class Place(NamedTuple):
    """The memory of an access: a number for its array, and what is the same for the same tile."""

    array: int
    tile: tuple[object, ...]


LOADS = ("load_view_tko", "load_ptr_tko")
STORES = {"store_view_tko": "tile", "store_ptr_tko": "value"}


_WEAK = (None, "weak", "relaxed")


class Held:
    """Which tiles of memory a block of threads has had in registers before it loads them.

    Other accesses of the same array end that, and whatever may acquire what other blocks write.
    """

    def __init__(self, block: Block) -> None:
        self.found: dict[Op, tuple[Op, Value]] = {}
        """A load -> the op that has loaded or stored the same before, and that tile."""
        self._numbering = Numbering()
        self._known: dict[object, Op] = {}
        self._walk(block, {})

    def _walk(self, block: Block, held: dict[Place, tuple[Op, Value]]) -> None:
        for op in block.ops:
            for region in op.regions:
                for inner in region.blocks:
                    stores = (each for each in op.walk() if each.name in STORES)
                    written = {self._place(each).array for each in stores}
                    kept = {key: row for key, row in held.items() if key.array not in written}
                    self._walk(inner, kept)
            if op.spec.effects in SILENT - {READS} and not op.regions:
                key = self._numbering.key(op)
                if key is not None and self._known.setdefault(key, op) is not op:
                    self._numbering.identify(op, self._known[key])
            if op.name not in (*LOADS, *STORES):
                if op.name.startswith("atomic"):
                    held.clear()
                continue
            if op.attributes.get("memory_ordering_semantics") not in _WEAK:
                held.clear()
                continue
            place = self._place(op)
            if op.name in STORES:
                for each in [each for each in held if each.array == place.array]:
                    del held[each]
                held[place] = op, op.operands[STORES[op.name]]
            elif place in held:
                self.found[op] = held[place]
            else:
                held[place] = op, op.results[0]

    def _place(self, op: Op) -> Place:
        number = self._numbering.number
        view = op.operands.get("view")
        if view is None:
            pointers = op.operands.get("source") or op.operands["destination"]
            root = next(_roots(pointers), pointers)
            mask = op.operands.get("mask")
            return Place(number(root), (number(pointers), mask and number(mask)))
        tensor = tensor_view_op(view)
        array = number(view) if tensor is None else number(origin(tensor.operands["base"]))
        made = (*view.owner.operand_list(),) if isinstance(view.owner, Op) else (view,)
        kind = replace(view.type, padding=None) if hasattr(view.type, "padding") else view.type
        return Place(array, (kind, *map(number, made), *map(number, op.operands["index"])))


def _roots(pointers: Value) -> Iterator[Value]:
    """Yield the parameters that pointers are offsets from."""
    for op in slice_of(pointers):
        for value in op.operand_list():
            kind = value.type
            is_address = isinstance(kind, Tile) and isinstance(kind.element, Pointer)
            if is_address and not isinstance(value.owner, Op):
                yield value


def _held(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Use the tile that the block has."""
    told: dict[Site, str] = {}
    found: dict[Op, tuple[Op, Value]] = {}
    for function in {each.name: each for each in copy.functions.values()}.values():
        found |= Held(function.body.block).found
    for site in sites:
        assert site.number is not None
        op = copy.ops[site.number]
        if op in found:
            other, tile = found[op]
            done = "stored" if other.name in STORES else "loaded"
            op.results[0].replace_all_uses_with(tile)
            told[site] = f"use the tile that has been {done}, if no other block changes it"
    return told


HELD = Trial(_held)
"""What the block has just loaded or stored is not loaded."""
