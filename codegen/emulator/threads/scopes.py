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
        self.cluster = number // (cluster[0] * cluster[1] * cluster[2])
        self.shape = cluster
        self.threads, self.count = threads, len(number) * threads
        self.proxy_fences = ProxyFences(self.count)
        self.grain = 1
        """Threads that share a clock towards other blocks: 1, a warp, a block, 2, 4 .. blocks."""
        for grain in (32, *(threads << step for step in range(40))):
            if min(together, self.count) * self.columns <= CLOCKS:
                break
            self.grain = grain

    def coordinate(self, number: Any, axis: int) -> Any:
        """Return a coordinate of blocks by their numbers, which count a cluster after the other."""
        size = self.shape[0] * self.shape[1] * self.shape[2]
        cluster, rank = number // size, number % size
        for each in range(axis):
            cluster = cluster // (self.extents[each] // self.shape[each])
            rank = rank // self.shape[each]
        across = self.extents[axis] // self.shape[axis]
        return cluster % across * self.shape[axis] + rank % self.shape[axis]

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
