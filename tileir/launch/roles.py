"""What the parameters of a kernel are to its arrays: their addresses, extents and strides.

A kernel takes addresses and numbers, and nothing in its signature says what belongs together. Its
body does, where it makes a tensor view of a pointer: shape and strides of that view are constants,
parameters, or computed. `roles_of` reads that, also behind assumptions and conversions of integers;
launches (`launch_arrays`) and `tileir run --array` pass arrays by it, and refuse those that are not
as the kernel assumes.

- Views of one pointer tell what all of them say; of different ranks, they tell nothing.
- cuTile passes extents and strides that its kernels know, too. So parameters that nobody uses are
  those of the array before them where they lie as cuTile has them: the pointer, its extents, its
  strides. Of pointers without a view only the caller knows (`by_convention`); if the kernel does
  not read the stride of the last dimension there, it has been compiled for a stride of 1.
- Assumptions count as far as they hold in every launch: those before the first op that may return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from tileir.attributes import Bounded, DivBy
from tileir.ir import Body, Op, Value
from tileir.types import Element, Pointer, Scalar, TensorView


@dataclass(frozen=True, slots=True)
class Size:
    """An extent or stride of an array, in elements.

    parameter  the number of the parameter that takes it, if there is one
    constant   what the kernel assumes it to be, if that is known

    If neither is known, the kernel computes it.
    """

    parameter: int | None = None
    constant: int | None = None

    def __str__(self) -> str:
        return "?" if self.constant is None else str(self.constant)


@dataclass(frozen=True, slots=True)
class Assumed:
    """What a kernel assumes of a parameter: a divisor, and bounds, both inclusive.

    A parameter that is not `read` may be anything.
    """

    divisible_by: int = 1
    at_least: int | None = None
    at_most: int | None = None
    read: bool = True


@dataclass(frozen=True, slots=True)
class ArrayRole:
    """An array of a kernel: the parameter with its address, its extents and its strides.

    Both are None for a pointer of which nothing is told.
    """

    parameter: int
    shape: tuple[Size, ...] | None = None
    strides: tuple[Size, ...] | None = None

    @property
    def sizes(self) -> Iterator[tuple[str, int, Size]]:
        """Yield "extent" or "stride", its dimension, and the size."""
        for name, sizes in (("extent", self.shape), ("stride", self.strides)):
            yield from ((name, dim, size) for dim, size in enumerate(sizes or ()))


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of a kernel's parameters.

    arrays   one for each pointer, in order
    assumed  one for each parameter, in order

    Parameters that no array takes are scalars. `str` describes each parameter on a line.
    """

    arrays: tuple[ArrayRole, ...]
    assumed: tuple[Assumed, ...]

    @property
    def arguments(self) -> list[ArrayRole | int]:
        """What a launch by roles takes, in order: arrays, and the numbers of scalar parameters."""
        heads = {role.parameter: role for role in self.arrays}
        sized = {size.parameter for role in self.arrays for *_, size in role.sizes}
        numbers = range(len(self.assumed))
        return [heads.get(number, number) for number in numbers if number not in sized]

    def described(self) -> list[str]:
        """Return what each parameter is, in order."""
        texts: list[list[str]] = [[] for _ in self.assumed]
        for number, role in enumerate(self.arrays):
            if role.shape is None or role.strides is None:
                texts[role.parameter].append(f"array {number}, of which nothing more is told")
                continue
            shape, strides = (f"({', '.join(map(str, s))})" for s in (role.shape, role.strides))
            texts[role.parameter].append(f"array {number}: shape {shape}, strides {strides}")
            for name, dim, size in role.sizes:
                if size.parameter is not None:
                    texts[size.parameter].append(f"array {number}: {name} {dim}")
        for text, assumed in zip(texts, self.assumed, strict=True):
            text[:] = ["; ".join(text or ["scalar"])]
            if assumed.divisible_by > 1:
                text.append(f"a multiple of {assumed.divisible_by}")
        return [", ".join(text) for text in texts]

    def __str__(self) -> str:
        return "\n".join(f"{number}: {text}" for number, text in enumerate(self.described()))

    def to_json(self) -> dict[str, Any]:
        """Convert to values that JSON can hold: `arrays` and `assumed`."""
        rows = asdict(self)
        for row in rows["arrays"]:
            row |= {name: row[name] and list(row[name]) for name in ("shape", "strides")}
        return {"arrays": list(rows["arrays"]), "assumed": list(rows["assumed"])}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Roles:
        """Read what `to_json` returned; of something else, any exception may come."""

        def sizes(rows: Iterable[Mapping[str, Any]] | None) -> tuple[Size, ...] | None:
            return None if rows is None else tuple(Size(**row) for row in rows)

        arrays = (
            ArrayRole(row["parameter"], sizes(row["shape"]), sizes(row["strides"]))
            for row in data["arrays"]
        )
        return cls(tuple(arrays), tuple(Assumed(**row) for row in data["assumed"]))


def roles_of(body: Body) -> Roles:
    """Return the roles of the parameters of an entry, as its body tells them."""
    return _Reader(body).roles()


def untold(elements: Sequence[Element]) -> Roles:
    """Return the roles of parameters of which only the types are known."""
    pointers = (n for n, element in enumerate(elements) if isinstance(element, Pointer))
    return Roles(tuple(map(ArrayRole, pointers)), (Assumed(),) * len(elements))


def by_convention(
    roles: Roles, elements: Sequence[Element], ranks: Sequence[int | None]
) -> Roles | None:
    """Return the roles for arguments of these ranks by cuTile's convention, or None.

    There a pointer is followed by the array's extents and its strides. The rank of what is no array
    is None. What the kernel assumes remains. None if these are not all parameters.
    """
    known = {role.parameter: role for role in roles.arrays}
    arrays, at = [], 0
    for rank in ranks:
        if at >= len(elements):
            return None
        if isinstance(elements[at], Pointer):
            role = known[at]
            if rank is not None:
                if not _are_integers(elements[at + 1 : at + 1 + 2 * rank], 2 * rank):
                    return None
                role = _unit_stride(_placed(role, rank), roles.assumed)
                at += 2 * rank
            arrays.append(role)
        at += 1
    return replace(roles, arrays=tuple(arrays)) if at == len(elements) else None


def _placed(role: ArrayRole, rank: int) -> ArrayRole:
    """Return a role whose extents and strides lie behind the pointer; its constants remain."""
    first = role.parameter + 1
    none = (Size(),) * rank
    shape, strides = role.shape, role.strides
    if shape is None or strides is None or len(shape) != rank:
        shape = strides = none
    return ArrayRole(
        role.parameter,
        tuple(replace(size, parameter=first + dim) for dim, size in enumerate(shape)),
        tuple(replace(size, parameter=first + rank + dim) for dim, size in enumerate(strides)),
    )


def _unit_stride(role: ArrayRole, assumed: Sequence[Assumed]) -> ArrayRole:
    """Return a role with a last stride of 1 if the kernel reads the array, but not that stride."""
    *before, last = role.strides or (Size(),)
    if last.parameter is None or last.constant is not None:
        return role
    if assumed[last.parameter].read or not assumed[role.parameter].read:
        return role
    return replace(role, strides=(*before, replace(last, constant=1)))


def _are_integers(elements: Sequence[Element], count: int) -> bool:
    integers = [each for each in elements if isinstance(each, Scalar) and each.is_integer]
    return len(integers) == count


_CONVERSIONS = ("exti", "trunci")
_MAY_STAND_BETWEEN = ("assume", *_CONVERSIONS)
"""Ops behind which a number of the right size is still the same."""


class _Reader:
    """Reads the roles of the parameters of one body."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._elements = [cast(Any, value.type).element for value in body.block.arguments]
        self._numbers = {id(value): n for n, value in enumerate(body.block.arguments)}
        self._assumed = [Assumed() for _ in self._elements]

    def roles(self) -> Roles:
        """Return the roles."""
        self._read_assumptions()
        views: dict[int, list[ArrayRole]] = {}
        used: set[int | None] = set()
        for op in self._body.walk():
            if op.name != "assume":
                used.update(map(self._behind, op.operand_list()))
            if op.name != "make_tensor_view":
                continue
            base = self._behind(op.operands["base"])
            if base is not None:
                views.setdefault(base, []).append(self._view(base, op))
        arrays = []
        for number, element in enumerate(self._elements):
            if isinstance(element, Pointer):
                arrays.append(self._completed(_agreed(number, views.get(number, [])), used))
        assumed = (replace(each, read=n in used) for n, each in enumerate(self._assumed))
        return Roles(tuple(arrays), tuple(assumed))

    def _behind(self, value: Value) -> int | None:
        """Return the number of the parameter that a value is; None if the kernel computes it."""
        while id(value) not in self._numbers:
            op = value.owner
            if not isinstance(op, Op) or op.name not in _MAY_STAND_BETWEEN:
                return None
            value = next(iter(op.operand_list()))
        return self._numbers[id(value)]

    def _view(self, base: int, op: Op) -> ArrayRole:
        """Return what a make_tensor_view says of its pointer."""
        kind = cast(TensorView, op.result.type)
        shape = self._sizes(kind.shape, op.operands["dynamicShape"])
        return ArrayRole(base, shape, self._sizes(kind.strides, op.operands["dynamicStrides"]))

    def _sizes(self, sizes: Sequence[int | None], given: Sequence[Value]) -> tuple[Size, ...]:
        values = iter(given)
        return tuple(
            Size(constant=size) if size is not None else self._size(next(values)) for size in sizes
        )

    def _size(self, value: Value) -> Size:
        """Return a size that is given as a value, and note which numbers arrive there."""
        number = self._behind(value)
        if number is not None:
            while id(value) not in self._numbers:
                op = cast(Op, value.owner)
                self._bound(number, at_most=_most(op))
                value = next(iter(op.operand_list()))
            return Size(number)
        op = value.owner
        if isinstance(op, Op) and op.name == "constant":
            return Size(constant=op.attributes["value"].bits(0))
        return Size()

    def _read_assumptions(self) -> None:
        """Note assumptions about parameters before the first op that may return."""
        for op in self._body.block.ops:
            if op.regions and any(inner.name == "return" for inner in op.walk()):
                break
            if op.name != "assume":
                continue
            number, claim = self._behind(op.operands["value"]), op.attributes["predicate"]
            if number is None:
                continue
            if isinstance(claim, DivBy) and claim.every is None and claim.along is None:
                divisor = max(self._assumed[number].divisible_by, claim.divisor)
                self._assumed[number] = replace(self._assumed[number], divisible_by=divisor)
            elif isinstance(claim, Bounded):
                self._bound(number, claim.lower, claim.upper)
                element = cast(Any, op.result.type).element
                self._bound(number, at_most=(1 << element.bits - 1) - 1)  # as it is read signed

    def _bound(self, number: int, at_least: int | None = None, at_most: int | None = None) -> None:
        known = self._assumed[number]
        lower = [each for each in (known.at_least, at_least) if each is not None]
        upper = [each for each in (known.at_most, at_most) if each is not None]
        self._assumed[number] = replace(
            known, at_least=max(lower, default=None), at_most=min(upper, default=None)
        )

    def _completed(self, role: ArrayRole, used: set[int | None]) -> ArrayRole:
        """Add unused parameters that lie where cuTile has extents and strides of an array."""
        if not role.shape:
            return role
        rank = len(role.shape)
        placed = _placed(role, rank)
        after = range(role.parameter + 1, role.parameter + 1 + 2 * rank)
        if not _are_integers(self._elements[after.start : after.stop], 2 * rank):
            return role
        for (*_, size), (*_, there) in zip(role.sizes, placed.sizes, strict=True):
            if size.parameter != there.parameter and (
                size.parameter is not None or there.parameter in used
            ):
                return role
        return placed


def _most(op: Op) -> int | None:
    """Return the greatest number that a conversion keeps, if it is read as unsigned behind it."""
    if op.name not in _CONVERSIONS:
        return None
    bits = [cast(Any, value.type).element.bits for value in (*op.operand_list(), op.result)]
    signed = op.name == "exti" and op.attributes["signedness"] == "signed"
    return (1 << min(bits) - signed) - 1


def _agreed(parameter: int, views: Sequence[ArrayRole]) -> ArrayRole:
    """Return what all views of a pointer say."""
    first = views[0] if views else ArrayRole(parameter)
    if first.shape is None or first.strides is None:
        return first
    if any(len(view.shape or ()) != len(first.shape) for view in views):
        return ArrayRole(parameter)

    def agreed(sizes: Iterable[tuple[Size, ...] | None]) -> tuple[Size, ...]:
        columns = zip(*(each or () for each in sizes), strict=True)
        return tuple(each[0] if len(set(each)) == 1 else Size() for each in columns)

    return ArrayRole(
        parameter, agreed(each.shape for each in views), agreed(each.strides for each in views)
    )
