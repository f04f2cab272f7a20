"""Scopes of memory operations: the threads of a launch that an operation can synchronize with."""

from __future__ import annotations

from typing import Any

import numpy as np

from .proxies import ProxyFences

WEAK, CTA, CLUSTER, GPU = range(4)
"""No scope, the block, the cluster, all threads: one GPU runs the whole launch."""
SCOPES = {"cta": CTA, "cluster": CLUSTER, "gpu": GPU, "gl": GPU, "sys": GPU}
CLOCKS = 1 << 22
"""The most numbers in the vector clocks of a batch."""


class Grid:
    """The blocks of a launch: the cluster of each, and which threads share a clock."""

    def __init__(
        self,
        extents: tuple[int, int, int],
        cluster: tuple[int, ...],
        threads: int,
        together: int,
        agents: int = 0,
    ) -> None:
        """`threads` of a block, in whole warps; `together`: the threads of a batch.

        `agents` have a clock besides the threads: mbarriers, whose phases order bulk copies.
        """
        self.extents, self.agents = extents, agents
        number = np.arange(extents[0] * extents[1] * extents[2])
        x, y = number % extents[0], number // extents[0] % extents[1]
        z = number // (extents[0] * extents[1])
        wide, high = -(-extents[0] // cluster[0]), -(-extents[1] // cluster[1])
        self.cluster = x // cluster[0] + wide * (y // cluster[1] + high * (z // cluster[2]))
        self.threads, self.count = threads, len(number) * threads
        self.proxy_fences = ProxyFences(self.count)
        self.grain = 1
        """Threads that share a clock towards other blocks: 1, a warp, a block, 2, 4 .. blocks."""
        for grain in (32, *(threads << step for step in range(40))):
            if min(together, self.count) * self.columns <= CLOCKS:
                break
            self.grain = grain

    @property
    def columns(self) -> int:
        """Clocks of the whole launch."""
        return -(-self.count // self.grain)

    @property
    def width(self) -> int:
        """Times of a row: for the clocks, the agents, and `nobody`."""
        return self.columns + self.agents + 1

    @property
    def nobody(self) -> int:
        """The lane of accesses that no thread knows yet."""
        return self.count + self.agents

    def column(self, lane: Any) -> Any:
        """Return the column of lanes: of threads or, from `count` on, of agents."""
        return np.where(lane < self.count, lane // self.grain, self.columns + lane - self.count)

    def needed(self, block: Any, other: Any) -> Any:
        """Return the narrowest scope of a thread of one block that includes the other block."""
        near = np.where(self.cluster[block] == self.cluster[other], CLUSTER, GPU)
        return np.where(block == other, CTA, near)

    def mutual(self, scope: int, block: int, scope2: int, block2: int) -> bool:
        """Whether two strong operations are morally strong: their scopes include each other."""
        if block == block2:
            return True
        same = self.cluster[block] == self.cluster[block2]
        return min(scope, scope2) >= (CLUSTER if same else GPU)
