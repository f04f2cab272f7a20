"""Trials of tiles that the block has in registers, and loads, or stores again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tileir.builder import Editor, splat
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.nvptx.schedule.pointer_facts import pointers_of
from tileir.codegen.ops import Family, family_of, writes_memory
from tileir.codegen.ops.extents import tensor_view_op
from tileir.codegen.transform.equal_ops import Numbering
from tileir.formats.ops.spec import READS, SILENT
from tileir.ir import Block, Op, Value
from tileir.read.function import Function
from tileir.types import Pointer, Tile

from .loops import counted_loop, only_user, runs, varying
from .trial import Trial


class Place(NamedTuple):
    """The memory of an access: its array, and what is the same for the same tile.

    An array is the parameter that addresses in it are offsets from; None if it may be any.
    """

    array: Value | None
    tile: tuple[object, ...]

    def may_meet(self, array: Value | None) -> bool:
        """Whether an access of an array may be of this memory."""
        return self.array is None or array is None or self.array is array


LOADS = ("load_view_tko", "load_ptr_tko")
STORES = {"store_view_tko": "tile", "store_ptr_tko": "value"}


_WEAK = (None, "weak", "relaxed")


def clobbers(op: Op) -> bool:
    """Whether any memory may be another one behind an op: it updates memory, or waits for others.

    Weak loads and stores do not; they are of an array.
    """
    if op.name in (*LOADS, *STORES):
        return op.attributes.get("memory_ordering_semantics") not in _WEAK
    return writes_memory(op) or family_of(op) is Family.FENCE


class Held:
    """Which tiles of memory a block of threads has had in registers before it loads them.

    Other accesses of the same array end that, and whatever may acquire what other blocks write.
    """

    def __init__(self, block: Block) -> None:
        self.found: dict[Op, tuple[Op, Value]] = {}
        """A load -> the op that has loaded or stored the same before, and that tile."""
        self.places: dict[Op, Place] = {}
        """A load or store -> its memory."""
        self._numbering = Numbering()
        self._known: dict[object, Op] = {}
        self._walk(block, {})

    def _walk(self, block: Block, held: dict[Place, tuple[Op, Value]]) -> None:
        for op in block.ops:
            if op.regions:
                self._forget(op, held)
                for inner in (block for region in op.regions for block in region.blocks):
                    self._walk(inner, {**held})
                continue
            if op.spec.effects in SILENT - {READS}:
                key = self._numbering.key(op)
                if key is not None and self._known.setdefault(key, op) is not op:
                    self._numbering.identify(op, self._known[key])
            self._forget(op, held)
            if op.name not in (*LOADS, *STORES) or clobbers(op):
                continue
            place = self.places[op] = self._place(op)
            if op.name in STORES:
                held[place] = op, op.operands[STORES[op.name]]
            elif place in held and self._is_padded_alike(op, held[place][0]):
                self.found[op] = held[place]
            else:
                held[place] = op, op.results[0]

    def _forget(self, op: Op, held: dict[Place, tuple[Op, Value]]) -> None:
        """Leave out of what is held what an op, or one in its regions, may change."""
        for each in op.walk():
            if clobbers(each):
                held.clear()
            elif each.name in STORES:
                array = array_of(each)
                for place in [place for place in held if place.may_meet(array)]:
                    del held[place]

    def _is_padded_alike(self, load: Op, other: Op) -> bool:
        """Whether a load has what another access of its place has where the tensor has nothing.

        That is anything, where the load names no padding.
        """
        wanted = padding(load)
        if isinstance(wanted, Value):
            had = padding(other)
            return isinstance(had, Value) and self._numbering.number(wanted) == (
                self._numbering.number(had)
            )
        return wanted is None or wanted == padding(other)

    def _place(self, op: Op) -> Place:
        number = self._numbering.number
        view = op.operands.get("view")
        if view is None:
            pointers, mask = pointers_of(op), op.operands.get("mask")
            return Place(array_of(op), (number(pointers), mask and number(mask)))
        made = (*view.owner.operand_list(),) if isinstance(view.owner, Op) else (view,)
        kind = replace(view.type, padding=None) if hasattr(view.type, "padding") else view.type
        return Place(array_of(op), (kind, *map(number, made), *map(number, op.operands["index"])))


def padding(access: Op) -> object:
    """Return what a load has for elements that it does not read; None if that may be anything.

    It is named by the type of the view, or is a tile beside a mask. Stores have none.
    """
    if access.name not in LOADS:
        return None
    view = access.operands.get("view")
    if view is not None:
        return getattr(view.type, "padding", None)
    return access.operands.get("mask") and access.operands.get("paddingValue")


def array_of(op: Op) -> Value | None:
    """Return the parameter that the addresses of an access are offsets from; None if not just one.

    No numbers of values are asked for: regions are looked through before their ops have any.
    """
    view = op.operands.get("view")
    if view is not None:
        tensor = tensor_view_op(view)
        return None if tensor is None else _root(tensor.operands["base"])
    return _root(pointers_of(op))


def _root(pointers: Value) -> Value | None:
    """Return the parameter that pointers come from; None of those of memory, loops, or numbers."""
    roots, seen, waiting = set[Value | None](), {pointers}, [pointers]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if not isinstance(op, Op):
            roots.add(value if op.parent_op is None else None)
            continue
        pure = not op.regions and op.spec.effects in SILENT - {READS}
        found = [each for each in op.operand_list() if pure and _is_address(each)]
        if not found:
            return None
        waiting += [each for each in found if each not in seen]
        seen.update(found)
    return roots.pop() if len(roots) == 1 else None


def _is_address(value: Value) -> bool:
    return isinstance(value.type, Tile) and isinstance(value.type.element, Pointer)


def kept(function: Function) -> Iterator[tuple[Op, Op | None]]:
    """Yield each store of a loop that is to the same place in all iterations.

    With it the load of that place in the loop, if there is one.
    """
    places = Held(function.body.block).places
    for store, place in places.items():
        loop = counted_loop(store) if store.name in STORES else None
        if loop is None:
            continue
        if any(value is not store.operands[STORES[store.name]] for value in varying(store, loop)):
            continue
        inside = [op for op in loop.walk() if op is not store]
        others = [op for op in inside if op in places and place.may_meet(places[op].array)]
        loads = [
            op
            for op in others
            if places[op] == place and op.name in LOADS and op.parent is store.parent
        ]
        if any(map(clobbers, inside)):
            continue
        if len(others) == len(loads) < 2 and all(_may_have_stored(op, store) for op in loads):
            yield store, loads[0] if loads else None


def _may_have_stored(load: Op, store: Op) -> bool:
    """Whether a load may have what the iteration before has stored, out of the tensor, too.

    What is there in place of its padding reaches no other element, and is not stored.
    """
    if not load.is_before(store):
        return False
    if padding(load) is None:
        return True
    value = load.results[0]
    while (op := only_user(value)) is not None and op is not store:
        summed = op.operands.get("acc") is value  # of a product
        stays = family_of(op) is Family.ELEMENT_WISE or op.name == "reshape"
        if not summed and not stays:
            return False
        value = op.results[0]
    return op is store


def _carried(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Carry what a loop stores at one place, and store it behind the loop."""
    told: dict[Site, str] = {}
    wanted = {copy.ops[site.number]: site for site in sites if site.number is not None}
    for function in copy.by_symbol.values():
        for store, load in list(kept(function)):
            if store in wanted:
                loop = counted_loop(store)
                assert loop is not None
                _carry(Editor(function), loop, store, load)
                if_it_runs = "" if load or runs(loop) else ", if the loop runs at least once"
                fix = f"carry it through the loop, and store it once, behind it{if_it_runs}"
                told[wanted[store]] = fix
    return told


def _carry(editor: Editor, loop: Op, store: Op, load: Op | None) -> None:
    block, slot = loop.regions[0].block, STORES[store.name]
    tile = store.operands[slot]
    editor.before(loop)
    token = editor.make_token()
    carried = block.add_argument(tile.type)
    if load is None:
        start = editor.constant(splat(0, tile.type))
    else:
        for value, other in zip(load.results, (carried, token), strict=True):
            value.replace_all_uses_with(other)
        load.remove()
        load.operands["token"] = token
        load.insert_before(loop)
        start = load.results[0]
    loop.operands["initValues"] = (*loop.operands["initValues"], start)
    end = block.ops[-1]
    end.operands["operands"] = (*end.operands["operands"], tile)
    store.results[0].replace_all_uses_with(token)
    store.remove()
    store.operands[slot], store.operands["token"] = loop.add_result(tile.type), token
    store.insert_after(loop)


def _held(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Use the tile that the block has."""
    told: dict[Site, str] = {}
    found: dict[Op, tuple[Op, Value]] = {}
    for function in copy.by_symbol.values():
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


CARRIED = Trial(_carried)
"""What a loop stores at one place is stored behind it."""
HELD = Trial(_held)
"""What the block has just loaded or stored is not loaded."""
