"""Other types, a step away from a given one: most legal, some not."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from tileir.attributes import FloatAttribute, IntegerAttribute
from tileir.formats.enums import PADDING_VALUE, POINTER_ATTRIBUTE
from tileir.formats.ops.spec import NUMBERS
from tileir.types import (
    FunctionType,
    GatherScatterView,
    PartitionView,
    Pointer,
    Scalar,
    StridedView,
    TensorView,
    Tile,
    Token,
    Type,
)

COMMON = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32")
SCALARS = ("i4", *NUMBERS)
PADDINGS = (None, *PADDING_VALUE.by_name)
ADDRESSES = (None, *POINTER_ATTRIBUTE.by_name)
SOME_TENSOR = TensorView(Scalar("f32"), (64, 64), (64, 1))
SOME_VIEW = PartitionView((16, 16), SOME_TENSOR, (0, 1))


def other_scalar(choice: random.Random, scalar: Scalar) -> Scalar:
    """Another element type, more often one of those that everybody uses."""
    names = COMMON if choice.random() < 0.6 else SCALARS
    return Scalar(choice.choice([name for name in names if name != scalar.name]))


def zero(scalar: Scalar) -> IntegerAttribute | FloatAttribute:
    """Zero of that type as an attribute."""
    return IntegerAttribute(scalar, 0) if scalar.is_integer else FloatAttribute(scalar, 0)


def other_element(choice: random.Random, element: Scalar | Pointer) -> Scalar | Pointer:
    """Another element: of another type, or the pointer to it."""
    if isinstance(element, Pointer):
        roll = choice.random()
        if roll < 0.4:
            return Pointer(other_scalar(choice, element.pointee), element.attribute)
        if roll < 0.7:
            others = [kind for kind in ADDRESSES if kind != element.attribute]
            return Pointer(element.pointee, choice.choice(others))
        return element.pointee
    return Pointer(element) if choice.random() < 0.12 else other_scalar(choice, element)


def other_shape(choice: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Another shape: an extent changed, a dimension more, less, or elsewhere."""
    steps: list[Callable[[], tuple[int, ...]]] = [
        lambda: (*shape, choice.choice((1, 1, 2, 4))),
        lambda: (choice.choice((1, 1, 2, 4)), *shape),
        lambda: (1, 1, *shape, 2)[-4:],
    ]
    if shape:
        at = choice.randrange(len(shape))
        size = shape[at]

        def resized(new: int) -> tuple[int, ...]:
            return (*shape[:at], new, *shape[at + 1 :])

        steps += [
            lambda: resized(2 * size),
            lambda: resized(2 * size),
            lambda: resized(max(size // 2, 1)),
            lambda: resized(1),
            lambda: resized(choice.choice((3, 0, 1 << 25, 4, 16))),
            lambda: shape[:at] + shape[at + 1 :],
            lambda: tuple(choice.sample(shape, len(shape))),
            lambda: (),
        ]
    for _ in range(8):
        made = choice.choice(steps)()
        if made != shape:
            return made
    return (*shape, 2)


def other(choice: random.Random, type: Type) -> Type:
    """Another type: one part changed, or now and then another kind altogether."""
    if choice.random() < 0.08:
        kinds = (Token(), Tile(Scalar("i32")), Scalar("f32"), Pointer(Scalar("f32")), SOME_TENSOR)
        return choice.choice([kind for kind in (*kinds, SOME_VIEW) if kind != type])
    match type:
        case Tile():
            if choice.random() < 0.5:
                return Tile(other_element(choice, type.element), type.shape)
            return Tile(type.element, other_shape(choice, type.shape))
        case TensorView():
            return _other_tensor(choice, type)
        case PartitionView() | StridedView() | GatherScatterView():
            return _other_view(choice, type)
        case FunctionType():
            return FunctionType(type.parameters, (*type.results, Tile(Scalar("i32"))))
    return Tile(choice.choice((Scalar("i1"), Scalar("i32"), Scalar("f32"))))


def _other_tensor(choice: random.Random, type: TensorView) -> TensorView:
    sizes = (None, 1, 2, 3, 16, 64, 0, -1)

    def changed(old: tuple) -> tuple:
        if not old:
            return (1,)
        at = choice.randrange(len(old))
        return (*old[:at], choice.choice(sizes), *old[at + 1 :])

    kind = choice.randrange(5)
    if kind == 0:
        return dataclasses.replace(type, element=other_scalar(choice, type.element))
    if kind == 1:
        return dataclasses.replace(type, attribute=choice.choice(ADDRESSES))
    if kind == 2:
        return dataclasses.replace(type, shape=changed(type.shape))
    if kind == 3:
        return dataclasses.replace(type, strides=changed(type.strides))
    rank = choice.choice((1, -1))
    if rank > 0 or not type.shape:
        return dataclasses.replace(type, shape=(8, *type.shape), strides=(8, *type.strides))
    return dataclasses.replace(type, shape=type.shape[1:], strides=type.strides[1:])


def _other_view(choice: random.Random, type: PartitionView | StridedView | GatherScatterView):
    rank = len(type.tile)
    kinds = ["tile", "padding", "padding", "view", "family"]
    kinds += ["dim_map"] * hasattr(type, "dim_map")
    kinds += ["traversal_strides"] * hasattr(type, "traversal_strides")
    kinds += ["sparse_dim"] * hasattr(type, "sparse_dim")
    kind = choice.choice(kinds)
    match kind:
        case "tile":
            return dataclasses.replace(type, tile=other_shape(choice, type.tile))
        case "padding":
            return dataclasses.replace(type, padding=choice.choice(PADDINGS))
        case "view":
            return dataclasses.replace(type, view=_other_tensor(choice, type.view))
        case "dim_map":
            dims = list(range(rank))
            choice.shuffle(dims)
            if choice.random() < 0.3:
                dims = [choice.randrange(rank + 1) for _ in range(choice.choice((rank, rank + 1)))]
            return dataclasses.replace(type, dim_map=tuple(dims))
        case "traversal_strides":
            strides = [choice.choice((1, 2, 3, 8, 0)) for _ in range(choice.choice((rank, 1)))]
            return dataclasses.replace(type, traversal_strides=tuple(strides))
        case "sparse_dim":
            return dataclasses.replace(type, sparse_dim=choice.randrange(rank + 1))
    dims = getattr(type, "dim_map", tuple(range(rank)))
    families = (
        PartitionView(type.tile, type.view, dims, type.padding),
        StridedView(type.tile, type.tile, type.view, dims, type.padding),
        GatherScatterView(type.tile, type.view, choice.randrange(max(rank, 1)), type.padding),
    )
    return choice.choice([view for view in families if view.__class__ is not type.__class__])
