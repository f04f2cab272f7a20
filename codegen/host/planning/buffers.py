"""Which tiles of a kernel have buffers, and where: what `fusion` and `storage` decide.

Ops are lowered by it, and need not know how it came about.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tileir.ir import Op, Value

from .buffer_moves import Move


@dataclass(slots=True)
class Fusion:
    """What was decided.

    `kept`: ids of the inline ops whose tiles have buffers; `deferred`: id of an op with a loop ->
    the loads deferred to it; `late`: ids of those loads.
    """

    kept: set[int] = field(default_factory=set)
    deferred: dict[int, list[Op]] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Storage:
    """Where tiles are.

    `offsets`: id of a kept value -> offset of its buffer; `temporaries`: id of an op -> offsets of
    its own; `moves`: id of a terminator -> what it hands over, in order; `size`: bytes of the
    workspace.
    """

    fusion: Fusion
    offsets: dict[int, int] = field(default_factory=dict)
    temporaries: dict[int, list[int]] = field(default_factory=dict)
    moves: dict[int, list[Move]] = field(default_factory=dict)
    size: int = 0

    def __contains__(self, value: Value) -> bool:
        return id(value) in self.offsets
