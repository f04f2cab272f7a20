"""What instructions since sm_90 use of a batch, besides what all instructions use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from tileir.codegen.emulator.memory.bulk import BulkCopies
from tileir.codegen.emulator.memory.copies import Copies
from tileir.codegen.emulator.memory.mbarriers import Mbarriers
from tileir.codegen.emulator.memory.products import Products
from tileir.codegen.emulator.memory.proxies import AsyncProxy
from tileir.codegen.emulator.memory.spaces import Memory
from tileir.codegen.emulator.memory.tensor_map import TensorMap
from tileir.codegen.emulator.threads.barriers import Barriers
from tileir.codegen.emulator.threads.clusters import ClusterBarriers
from tileir.codegen.emulator.threads.lanes import Lanes
from tileir.codegen.emulator.threads.registers import Registers


class HopperBatch(Protocol):
    """The parts of `running.batch.RunningBatch` that they use."""

    cluster: tuple[int, int, int]
    barriers: Barriers
    cluster_barriers: ClusterBarriers
    registers_of_warps: Registers
    mbarriers: Mbarriers
    async_proxy: AsyncProxy
    copies: Copies
    products: Products
    bulk: BulkCopies
    spaces: Mapping[str, Memory]
    tensor_maps: Mapping[int, TensorMap]
    """The tensor maps among the parameters, by their offsets."""


def batch_of(lanes: Lanes) -> HopperBatch:
    """Return the batch of lanes, with those parts."""
    return cast(HopperBatch, lanes.batch)
