"""Which tiles of a kernel have buffers, and where: the decisions of `fusion` and `storage`.

Lowerings read them and do not depend on the planners.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.ir import Op, Value

from .buffer_moves import Move


@dataclass(slots=True)
class Fusion:
    """Which inline ops have buffers, and which loads are made by the loop that consumes them.

    `kept`: ids of the inline ops whose tiles have buffers; `deferred_to`: id of an op with a loop
    -> the loads deferred to that loop; `deferred_loads`: ids of all deferred loads. `in_place`: ids
    of the loads whose tiles are read in their tensors by several loops; `stored_from`: id of a
    store -> those of them that it reads.
    """

    kept: set[int] = field(default_factory=set)
    deferred_to: dict[int, list[Op]] = field(default_factory=dict)
    deferred_loads: set[int] = field(default_factory=set)
    in_place: set[int] = field(default_factory=set)
    stored_from: dict[int, list[Op]] = field(default_factory=dict)


@dataclass(slots=True)
class Storage:
    """Offsets, in bytes, of all buffers in the workspace.

    `offsets`: id of a kept value -> offset of its buffer; `temporaries`: id of an op -> offsets of
    its temporaries; `moves`: id of a terminator -> the tiles it passes on, in the order to write
    them; `size`: bytes of the workspace.
    """

    fusion: Fusion
    offsets: dict[int, int] = field(default_factory=dict)
    temporaries: dict[int, list[int]] = field(default_factory=dict)
    moves: dict[int, list[Move]] = field(default_factory=dict)
    size: int = 0

    def __contains__(self, value: Value) -> bool:
        return id(value) in self.offsets
