"""What a kernel on random arguments has computed so far, and fingerprints of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from tileir.ir import Op, Value
from tileir.types import PartitionView, Pointer, StridedView, Tile

from .elements import Array
from .memory import Access, Memory, drawn

RUNS = 8
PROBED = 32
"""Elements of each value, at random places, that are kept."""
CHECKED = 4096
"""So many are kept of values that are asked for: all of most tiles."""
Fingerprint = tuple[object, ...]
"""Equal for values that have the same elements in row-major order."""


@dataclass
class View:
    """A tensor in memory: address, extents and strides in each run, and bytes of elements."""

    base: Array
    shape: list[Array]
    strides: list[Array]
    bytes: int


@dataclass
class Observed:
    """What is known of the values of a kernel.

    fingerprints  value -> its fingerprint
    probes        value -> some of its elements, at the same places for all values of a size
    same          value -> the one number that all of its elements are in all runs
    scans         fingerprint of what a reduction gives -> the scan of the same tile
    """

    fingerprints: dict[Value, Fingerprint] = field(default_factory=dict)
    probes: dict[Value, Array] = field(default_factory=dict)
    same: dict[Value, float] = field(default_factory=dict)
    scans: dict[Fingerprint, Op] = field(default_factory=dict)


class State:
    """The values of a kernel by now, its memory, and what is known of its values.

    Elements are kept of the values that are `checked`, or a few of each value.
    """

    def __init__(self, seed: int, checked: Collection[Value] | None = None) -> None:
        self.found = Observed()
        self._checked = checked
        self._probed = PROBED if checked is None else CHECKED
        self.env: dict[Value, Any] = {}
        self.memory = Memory()
        self.seed, self.random = seed, np.random.default_rng(seed)
        self._places: dict[int, tuple[Array, Array]] = {}

    def any(self, kind: Tile, seed: int | None = None) -> Array:
        """Draw a tile by lot; the same for the same seed."""
        random = self.random if seed is None else np.random.default_rng(seed)
        bits = random.integers(0, 1 << 63, (RUNS, *kind.shape), dtype=np.uint64)
        return drawn(bits, kind.element)

    def set(self, value: Value, array: Any) -> None:
        """Note what a value is: an array with the runs in front, a `View`, or None."""
        self.env[value] = array
        if not isinstance(array, np.ndarray):
            return
        flat = array.reshape(RUNS, -1)
        self.found.fingerprints[value] = self.fingerprint(flat)
        places, _ = self._chosen(flat.shape[1])
        probe = flat[:, places]
        if self._checked is None or value in self._checked:
            self.found.probes[value] = probe
        first = probe[0, 0]
        if not isinstance(value.type.element, Pointer) and np.all(probe == first):
            self._note_constant(value, flat)

    def _note_constant(self, value: Value, flat: Array) -> None:
        if np.all(flat == flat[0, 0]):
            self.found.same[value] = flat[0, 0].item()

    def _chosen(self, size: int) -> tuple[Array, Array]:
        if size not in self._places:
            random = np.random.default_rng(size)
            few = size > self._probed
            places = random.integers(0, size, self._probed) if few else np.arange(size)
            self._places[size] = places, random.uniform(0.5, 1.5, size)
        return self._places[size]

    def fingerprint(self, flat: Array) -> Fingerprint:
        """Return the fingerprint of an array whose rows are runs."""
        if flat.dtype != np.float64:
            data = np.ascontiguousarray(flat)
            return flat.dtype.kind, flat.shape[1], blake2b(data.tobytes(), digest_size=12).digest()
        flat = np.nan_to_num(flat, nan=1e6, posinf=1e7, neginf=-1e7)
        sums = flat @ self._chosen(flat.shape[1])[1]
        return "f", flat.shape[1], *(f"{each:.9e}" for each in sums + 0.0)

    def access(self, op: Op) -> tuple[Access, Array | None] | None:
        """Return where an op loads or stores, and the padding of what is masked out."""
        view = op.operands.get("view")
        if view is None:
            at = op.operands.get("source") or op.operands.get("destination")
            assert at is not None
            mask, padding = op.operands.get("mask"), op.operands.get("paddingValue")
            given = None if padding is None else self.env[padding]
            return Access(self.env[at], None if mask is None else self.env[mask]), given
        kind, made = view.type, self.env.get(view)
        if not isinstance(kind, PartitionView | StridedView) or not isinstance(made, View):
            return None
        addresses, inside = made.base.reshape(-1, *[1] * len(kind.tile)), None
        steps = kind.tile if isinstance(kind, PartitionView) else kind.traversal_strides
        for dim, (size, step) in enumerate(zip(kind.tile, steps, strict=True)):
            along = kind.dim_map[dim]
            first = self.env[op.operands["index"][dim]].astype(np.int64) * step
            at = first[:, None] + np.arange(size)
            shaped = (RUNS, *(size if each == dim else 1 for each in range(len(kind.tile))))
            far = at * made.strides[along][:, None] * made.bytes
            addresses = addresses + far.reshape(shaped)
            within = ((at >= 0) & (at < made.shape[along][:, None])).reshape(shaped)
            inside = within if inside is None else inside & within
        names = {"pos_inf": np.inf, "neg_inf": -np.inf, "nan": np.nan}
        return Access(addresses, inside), np.asarray(names.get(kind.padding or "zero", 0.0))
