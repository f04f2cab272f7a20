"""A kernel on a few sets of random arguments: what each of its values is, as a fingerprint.

Loops are gone through once, at some iteration, with random numbers for what they carry; both sides
of an `if` are. What an op gives that is not computed here is drawn by lot, the same for the same
operands. So values that are equal in all samples are equal whenever the kernel runs, most likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from tileir.attributes import Bounded, DivBy
from tileir.codegen.advise.trials.parameters import parameters_of
from tileir.codegen.ops.extents import tensor_view_op
from tileir.ir import Block, Op, Value
from tileir.read.function import Function
from tileir.types import PartitionView, Pointer, StridedView, Tile, Token

from .elements import CONVERSIONS, FLOATS, INTEGERS, Array, extended, wrapped
from .memory import ARRAY_BITS, Access, Memory, array_of, drawn

SAMPLES = 8
MOST = 1 << 27
"""Elements of all values and samples: kernels with more are not looked at, as that takes long."""
PROBED = 32
"""Elements of each value, at random places, that are kept."""
_LARGE = (1 << 22, 1 << 20, 1 << 22, 1 << 21)
"""About how large whole numbers among the arguments are in the first samples."""
_MIXED = (1 << 30, 1 << 20, 1 << 9, 1 << 5, 1 << 4)
"""How large they may be in the others, in which tiles lie across the ends of arrays, or outside."""
_BLOCKS = (4, 8, 40, 40)
"""Numbers of blocks are less than that in the first samples."""
_MIXED_BLOCKS = (1, 4, 40, 200)
"""How large they may be in the others, along each axis."""
_ROUNDS = (1, 4, 1, 0, 4, 0, 2, 0)
"""Loops are looked at in one of so many iterations, the first ones; or in the last one, if 0."""
FOLDS = {
    "addf": np.add, "addi": np.add, "mulf": np.multiply, "muli": np.multiply,
    "maxf": np.maximum, "maxi": np.maximum, "minf": np.minimum, "mini": np.minimum,
    "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
}  # fmt: skip
_STORES = ("store_ptr_tko", "store_view_tko")
Print = tuple[object, ...]
"""A fingerprint: equal for values that have the same elements in row-major order."""


@dataclass(frozen=True)
class Derived:
    """What could be computed of an op's operands instead: the name of the way, and the shape."""

    op: Op
    way: str
    shape: tuple[int, ...]


@dataclass
class _View:
    base: Array
    shape: list[Array]
    strides: list[Array]
    bytes: int


@dataclass
class Sampled:
    """What is known of the values of a kernel.

    prints   value -> its fingerprint
    probes   value -> some of its elements, at the same places for all values of a size
    same     value -> the one number that all of its elements are in all samples
    derived  fingerprint -> a cheaper way to the same
    """

    prints: dict[Value, Print] = field(default_factory=dict)
    probes: dict[Value, Array] = field(default_factory=dict)
    same: dict[Value, float] = field(default_factory=dict)
    derived: dict[Print, Derived] = field(default_factory=dict)


def sampled(function: Function, seed: int = 1) -> Sampled | None:
    """Return what the values of a kernel are; None if it is too large."""
    sizes = (v.type.size for v in function.body.defined() if isinstance(v.type, Tile))
    if sum(sizes) * SAMPLES > MOST:
        return None
    with np.errstate(all="ignore"):
        machine = _Machine(function, seed)
        machine.run()
    return machine.found


class _Machine:
    """One kernel, op by op."""

    def __init__(self, function: Function, seed: int) -> None:
        self.function = function
        self.found = Sampled()
        self._env: dict[Value, Any] = {}
        self._memory = Memory()
        self._seed, self._random = seed, np.random.default_rng(seed)
        self._left: Counter[Value] = Counter()
        self._places: dict[int, tuple[Array, Array]] = {}
        for op in function.walk():
            self._left.update(op.operand_list())

    def run(self) -> None:
        for number, value in enumerate(self.function.body.block.arguments):
            self._set(value, self._argument(number, value))
        self._block(self.function.body.block)

    def _argument(self, number: int, value: Value) -> Array:
        element = value.type.element
        if isinstance(element, Pointer):
            return np.full(SAMPLES, number + 1, np.int64) << ARRAY_BITS
        if element.is_integer and element.bits > 8:
            step, lowest = _promised(value)
            sizes = [*_LARGE, *self._random.choice(_MIXED, SAMPLES - len(_LARGE))]
            most = [max(int(size) // step, 2) for size in sizes]
            found = [step * self._random.integers(n // 2, n) for n in most]
            if lowest is None:
                found[-1] = -found[-1]
            return np.array(found, np.int64)
        return self._any(value.type)

    def _any(self, kind: Tile, seed: int | None = None) -> Array:
        random = self._random if seed is None else np.random.default_rng(seed)
        bits = random.integers(0, 1 << 63, (SAMPLES, *kind.shape), dtype=np.uint64)
        return drawn(bits, kind.element)

    # Blocks -------------------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Op) -> None:
        if op.regions and op.name not in ("reduce", "scan"):
            self._region(op)
        elif op.results:
            results = self._results(op)
            for value, array in zip(op.results, results, strict=False):
                self._set(value, array)
        elif op.name in _STORES:
            self._results(op)
        for value in op.operand_list():
            self._left[value] -= 1
            if not self._left[value] and getattr(value.type, "size", 0) > 1:
                self._env.pop(value, None)

    def _region(self, op: Op) -> None:
        written = self._written(op)
        if op.name == "if":
            for region in op.regions:
                for block in region.blocks:
                    self._block(block)
            self._memory.changed(written)
            self._merge(op)
            return
        self._memory.changed(written)
        block = op.regions[0].block
        given, carried = list(op.operands["initValues"]), list(block.arguments)
        if op.name == "for":
            slots = ("lowerBound", "upperBound", "step")
            lower, upper, step = (self._env[op.operands[slot]] for slot in slots)
            last = np.maximum((upper - lower - 1) // np.where(step == 0, 1, step), 0)
            rounds = self._random.integers(0, np.maximum(_ROUNDS, 1))
            rounds = np.where(np.array(_ROUNDS) == 0, last, rounds)
            self._set(carried.pop(0), lower + step * rounds)
        ends = [op for op in block.ops[-1:] if op.name == "continue"]
        for number, (value, start) in enumerate(zip(carried, given, strict=True)):
            kept = any(each.operands["operands"][number] is value for each in ends)
            kept = kept and op.name == "for"
            self._set(value, self._env[start] if kept else self._later(value.type, start))
        kinds = [(value, self._env[value]) for value in given if value in self._env]
        self._block(block)
        self._memory.changed(written)
        starts = dict(kinds)
        for number, value in enumerate(op.results):
            kept = op.name == "for" and carried[number] in self._env and any(
                each.operands["operands"][number] is carried[number] for each in ends
            )  # fmt: skip
            start = given[number] if number < len(given) else None
            if kept and start in starts:
                self._set(value, starts[start])
            elif isinstance(value.type, Tile):
                self._set(value, self._later(value.type, None))

    def _later(self, kind: Any, start: Value | None) -> Any:
        """Return what a loop may carry: something near of numbers it began with, or anything."""
        if not isinstance(kind, Tile):
            return None
        whole = isinstance(kind.element, Pointer) or (
            kind.element.is_integer and kind.element.bits > 8
        )
        if start is not None and whole and start in self._env:
            more = self._random.integers(0, 1 << 10, SAMPLES) * 16
            return self._env[start] + more.reshape(-1, *[1] * len(kind.shape))
        return self._any(kind)

    def _merge(self, op: Op) -> None:
        sides = [region.blocks[0].ops[-1] for region in op.regions if region.blocks]
        condition = self._env[next(op.operand_list())]
        for number, value in enumerate(op.results):
            if not isinstance(value.type, Tile):
                continue
            given = []
            for side in sides:
                if side.name == "yield":
                    given.append(self._env.get(side.operands["operands"][number]))
            if len(given) == 2 and all(each is not None for each in given):
                shaped = condition.reshape(-1, *[1] * len(value.type.shape))
                self._set(value, np.where(shaped, *given))
            else:
                self._set(value, self._any(value.type))

    def _written(self, op: Op) -> set[int]:
        """Return the arrays that are written in an op's regions."""
        found: set[int] = set()
        for each in op.walk():
            if each.name.startswith("atomic") or each.name in _STORES:
                view = each.operands.get("view")
                at = each.operands.get("destination") or each.operands.get("pointers")
                made = None if view is None else tensor_view_op(view)
                at = at if made is None else made.operands["base"]
                roots = [] if at is None else parameters_of(at, self.function)
                roots = [value for value in roots if isinstance(value.type.element, Pointer)]
                found |= {int(self._env[value].flat[0]) >> ARRAY_BITS for value in roots}
        return found

    # Values -------------------------------------------------------------------------------------

    def _set(self, value: Value, array: Any) -> None:
        self._env[value] = array
        if not isinstance(array, np.ndarray):
            return
        flat = array.reshape(SAMPLES, -1)
        self.found.prints[value] = self._print(flat)
        places, _ = self._chosen(flat.shape[1])
        probe = self.found.probes[value] = flat[:, places]
        first = probe[0, 0]
        if not isinstance(value.type.element, Pointer) and np.all(probe == first):
            if np.all(flat == first):
                self.found.same[value] = first.item()

    def _chosen(self, size: int) -> tuple[Array, Array]:
        if size not in self._places:
            random = np.random.default_rng(size)
            places = random.integers(0, size, min(size, PROBED))
            self._places[size] = places, random.uniform(0.5, 1.5, size)
        return self._places[size]

    def _print(self, flat: Array) -> Print:
        if flat.dtype != np.float64:
            data = np.ascontiguousarray(flat)
            return flat.dtype.kind, flat.shape[1], blake2b(data, digest_size=12).digest()
        flat = np.nan_to_num(flat, nan=1e6, posinf=1e7, neginf=-1e7)
        sums = flat @ self._chosen(flat.shape[1])[1]
        return "f", flat.shape[1], *(f"{each:.9e}" for each in sums + 0.0)

    # Ops ----------------------------------------------------------------------------------------

    def _results(self, op: Op) -> Sequence[Any]:
        special = _SPECIAL.get(op.name)
        made = None if special is None else special(self, op)
        if made is None:
            made = self._plain(op)
        if made is None:
            made = self._unknown(op)
        return made

    def _plain(self, op: Op) -> Sequence[Any] | None:
        if len(op.results) != 1 or op.regions:
            return None
        given = [self._env.get(value) for value in op.operand_list()]
        if any(each is None for each in given):
            return None
        if op.name in FLOATS:
            return (FLOATS[op.name](*given),)
        if op.name in INTEGERS:
            return (wrapped(INTEGERS[op.name](*given), op.result.type.element.bits),)
        if op.name in CONVERSIONS:
            made = CONVERSIONS[op.name](op, *given)
            return (wrapped(made, op.result.type.element.bits),)
        return None

    def _unknown(self, op: Op) -> Sequence[Any]:
        """Draw the results of an op by lot, from what it is and what it gets."""
        known = [self.found.prints.get(value) for value in op.operand_list()]
        effects = op.spec.effects not in ("Pure", "NoMemoryEffect")
        for number, value in enumerate(op.results):
            if isinstance(value.type, Tile):
                key = repr((op.name, number, known, sorted(map(repr, op.attributes.items()))))
                if effects or None in known or op.regions:
                    key = f"{key} {id(op)}"
                seed = int.from_bytes(blake2b(key.encode(), digest_size=6).digest(), "little")
                yield_ = self._any(value.type, seed)
            else:
                yield_ = None
            self._env[value] = None
            self._set(value, yield_)
        return ()

    def _access(self, op: Op) -> tuple[Access, Array | None] | None:
        """Return where an op loads or stores, and the padding of what is masked out."""
        view = op.operands.get("view")
        if view is None:
            at = op.operands.get("source") or op.operands.get("destination")
            mask, padding = op.operands.get("mask"), op.operands.get("paddingValue")
            given = None if padding is None else self._env[padding]
            return Access(self._env[at], None if mask is None else self._env[mask]), given
        kind, made = view.type, self._env.get(view)
        if not isinstance(kind, PartitionView | StridedView) or not isinstance(made, _View):
            return None
        addresses, inside = made.base.reshape(-1, *[1] * len(kind.tile)), None
        steps = kind.tile if isinstance(kind, PartitionView) else kind.traversal_strides
        for dim, (size, step) in enumerate(zip(kind.tile, steps, strict=True)):
            along = kind.dim_map[dim]
            first = self._env[op.operands["index"][dim]].astype(np.int64) * step
            at = first[:, None] + np.arange(size)
            shaped = (SAMPLES, *(size if each == dim else 1 for each in range(len(kind.tile))))
            far = at * made.strides[along][:, None] * made.bytes
            addresses = addresses + far.reshape(shaped)
            within = ((at >= 0) & (at < made.shape[along][:, None])).reshape(shaped)
            inside = within if inside is None else inside & within
        names = {"pos_inf": np.inf, "neg_inf": -np.inf, "nan": np.nan}
        return Access(addresses, inside), np.float64(names.get(kind.padding or "zero", 0.0))


def _promised(value: Value) -> tuple[int, int | None]:
    """Return what a parameter is a multiple of, and not less than, as far as that is assumed."""
    divisor, lowest, waiting = 1, None, [value]
    while waiting:
        for use in waiting.pop().uses:
            if use.op.name == "assume":
                predicate = use.op.attributes["predicate"]
                if isinstance(predicate, DivBy):
                    divisor = max(divisor, predicate.divisor)
                elif isinstance(predicate, Bounded):
                    lowest = predicate.lower
                waiting.append(use.op.result)
    return divisor, lowest


# Ops that are not element-wise: each returns its results, or None if they are drawn by lot. -------

_Special = Callable[[_Machine, Op], "Sequence[Any] | None"]


def _same(machine: _Machine, op: Op) -> Sequence[Any] | None:
    return (machine._env[next(op.operand_list())],)


def _constant(machine: _Machine, op: Op) -> Sequence[Any] | None:
    constant, kind = op.attributes["value"], op.result.type
    if constant.is_splat:
        number = constant.value()
        if number is None:
            return None
        array = np.full((SAMPLES, *kind.shape), number)
    else:
        array = np.broadcast_to(np.asarray(constant.array()).reshape(kind.shape),
                                (SAMPLES, *kind.shape))  # fmt: skip
    element = kind.element
    if element.is_float:
        return (array.astype(np.float64),)
    return (wrapped(array, element.bits),)


def _iota(machine: _Machine, op: Op) -> Sequence[Any] | None:
    kind = op.result.type
    row = wrapped(np.arange(kind.size), kind.element.bits)
    return (np.broadcast_to(row, (SAMPLES, kind.size)),)


def _broadcast(machine: _Machine, op: Op) -> Sequence[Any] | None:
    shape = (SAMPLES, *op.result.type.shape)
    return (np.broadcast_to(machine._env[op.operands["source"]], shape),)


def _reshape(machine: _Machine, op: Op) -> Sequence[Any] | None:
    return (machine._env[op.operands["source"]].reshape(SAMPLES, *op.result.type.shape),)


def _permute(machine: _Machine, op: Op) -> Sequence[Any] | None:
    order = (0, *(dim + 1 for dim in op.attributes["permutation"]))
    return (machine._env[op.operands["source"]].transpose(order),)


def _cat(machine: _Machine, op: Op) -> Sequence[Any] | None:
    parts = [machine._env[value] for value in op.operand_list()]
    return (np.concatenate(parts, axis=op.attributes["dim"] + 1),)


def _extract(machine: _Machine, op: Op) -> Sequence[Any] | None:
    source, shape = machine._env[op.operands["source"]], op.result.type.shape
    return (np.stack([source[place] for place in _slices(machine, op, source.shape[1:], shape)]),)


def _insert(machine: _Machine, op: Op) -> Sequence[Any] | None:
    made = np.array(machine._env[op.operands["destination"]])
    part = machine._env[op.operands["source"]]
    for place in _slices(machine, op, made.shape[1:], part.shape[1:]):
        made[place] = part[place[0]]
    return (made,)


def _slices(machine: _Machine, op: Op, whole: tuple[int, ...], part: tuple[int, ...]) -> list:
    at = [machine._env[value] for value in op.operands["indices"]]
    rows = []
    for sample in range(SAMPLES):
        first = [int(i[sample]) % (w // p) * p for i, w, p in zip(at, whole, part, strict=True)]
        rows.append((sample, *(slice(f, f + p) for f, p in zip(first, part, strict=True))))
    return rows


def _offset(machine: _Machine, op: Op) -> Sequence[Any] | None:
    size = max(op.result.type.pointee.bits // 8, 1)
    pointers, far = (machine._env[value] for value in op.operand_list())
    return (pointers + far.astype(np.int64) * size,)


def _select(machine: _Machine, op: Op) -> Sequence[Any] | None:
    return (np.where(*(machine._env[value] for value in op.operand_list())),)


def _product(machine: _Machine, op: Op) -> Sequence[Any] | None:
    lhs, rhs, acc = (machine._env[op.operands[slot]] for slot in ("lhs", "rhs", "acc"))
    return (lhs @ rhs + acc,)


def folded_by(op: Op) -> str | None:
    """Return the op that a reduction or scan of one tile combines with; None for any other body."""
    ops, arguments = op.regions[0].block.ops, op.regions[0].block.arguments
    if len(ops) != 2 or len(arguments) != 2 or ops[0].name not in FOLDS:
        return None
    if {*ops[0].operand_list()} != {*arguments} or [*ops[1].operand_list()] != [ops[0].result]:
        return None
    return ops[0].name


def _reduce(machine: _Machine, op: Op) -> Sequence[Any] | None:
    name = folded_by(op)
    if name is None:
        return None
    (source,) = op.operands["operands"]
    return (FOLDS[name].reduce(machine._env[source], axis=op.attributes["dim"] + 1),)


def _scan(machine: _Machine, op: Op) -> Sequence[Any] | None:
    name = folded_by(op)
    if name is None:
        return None
    (source,) = op.operands["operands"]
    array, axis = machine._env[source], op.attributes["dim"] + 1
    shape = tuple(e for n, e in enumerate(source.type.shape) if n != op.attributes["dim"])
    total = FOLDS[name].reduce(array, axis=axis)
    key = machine._print(total.reshape(SAMPLES, -1))
    machine.found.derived.setdefault(key, Derived(op, "reduce", shape))
    if op.attributes["reverse"]:
        return (np.flip(FOLDS[name].accumulate(np.flip(array, axis), axis=axis), axis),)
    return (FOLDS[name].accumulate(array, axis=axis),)


def _tensor_view(machine: _Machine, op: Op) -> Sequence[Any] | None:
    kind = op.result.type
    shape, strides = iter(op.operands["dynamicShape"]), iter(op.operands["dynamicStrides"])
    env = machine._env
    extents = [env[next(shape)] if e is None else np.full(SAMPLES, e) for e in kind.shape]
    steps = [env[next(strides)] if e is None else np.full(SAMPLES, e) for e in kind.strides]
    size = max(kind.element.bits // 8, 1)
    return (_View(env[op.operands["base"]], extents, steps, size),)


def _view(machine: _Machine, op: Op) -> Sequence[Any] | None:
    return (machine._env.get(next(op.operand_list())),)


def _extents(machine: _Machine, op: Op) -> Sequence[Any] | None:
    source = next(op.operand_list())
    made, kind = machine._env.get(source), source.type
    if not isinstance(made, _View):
        return None
    if op.name == "get_tensor_shape":
        return made.shape
    if not isinstance(kind, PartitionView):
        return None
    sizes = zip(kind.tile, kind.dim_map, strict=True)
    return [-(-made.shape[along] // size) for size, along in sizes]


def _blocks(machine: _Machine, op: Op) -> Sequence[Any] | None:
    least = 0 if op.name == "get_tile_block_id" else 8
    random = np.random.default_rng(least + machine._seed)
    drawn = []
    for _ in op.results:
        most = [*_BLOCKS, *random.choice(_MIXED_BLOCKS, SAMPLES - len(_BLOCKS))]
        drawn.append(random.integers(least, np.array(most) + least))
    return drawn


def _load(machine: _Machine, op: Op) -> Sequence[Any] | None:
    if op.attributes["memory_ordering_semantics"] not in (None, "weak", "relaxed"):
        machine._memory.changed()
    found = machine._access(op)
    element = op.results[0].type.element
    if found is None or isinstance(element, Pointer):
        return None
    access, padding = found
    array = machine._memory.load(access, element)
    if access.mask is not None:
        array = np.where(access.mask, array, 0 if padding is None else padding).astype(array.dtype)
    return array, None


def _store(machine: _Machine, op: Op) -> Sequence[Any] | None:
    found = machine._access(op)
    value = machine._env.get(op.operands.get("tile") or op.operands.get("value"))
    if found is None or value is None or op.attributes["memory_ordering_semantics"] == "release":
        machine._memory.changed()
    else:
        machine._memory.store(found[0], value)
    return (None,) * len(op.results)


def _atomic(machine: _Machine, op: Op) -> Sequence[Any] | None:
    pointers = machine._env.get(op.operands.get("pointers"))
    order = op.attributes.get("memory_ordering_semantics")
    if pointers is None or order != "relaxed":
        machine._memory.changed()
    else:
        machine._memory.changed({array_of(Access(pointers, None))})
    return None


def _fence(machine: _Machine, op: Op) -> Sequence[Any] | None:
    machine._memory.changed()
    return None


def _nothing(machine: _Machine, op: Op) -> Sequence[Any] | None:
    return (None,) * len(op.results)


_SPECIAL: dict[str, _Special] = {
    **dict.fromkeys(("assume", "ftof", "itof", "ptr_to_int", "ptr_to_ptr", "int_to_ptr"), _same),
    **dict.fromkeys(("make_partition_view", "make_strided_view"), _view),
    **dict.fromkeys(("get_tensor_shape", "get_index_space_shape"), _extents),
    **dict.fromkeys(("get_tile_block_id", "get_num_tile_blocks"), _blocks),
    **dict.fromkeys(("load_view_tko", "load_ptr_tko"), _load),
    **dict.fromkeys(_STORES, _store),
    **dict.fromkeys(("atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"), _atomic),
    **dict.fromkeys(("memory_fence_alias_tko", "gdc_wait_tko"), _fence),
    **dict.fromkeys(("mmaf", "mmai"), _product),
    **dict.fromkeys(("make_token", "join_tokens", "print_tko", "assert"), _nothing),
    "constant": _constant,
    "iota": _iota,
    "broadcast": _broadcast,
    "reshape": _reshape,
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "insert": _insert,
    "offset": _offset,
    "select": _select,
    "reduce": _reduce,
    "scan": _scan,
    "make_tensor_view": _tensor_view,
}
