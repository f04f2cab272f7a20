"""What ptxas says of registers, as remarks: how many a thread has, spills, resident blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

from tileir.codegen.nvptx.advice import ADVICE
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.remarks import Outcome, Remark, Topic
from tileir.messages.wording import counted
from tileir.resources.occupancy import occupancy
from tileir.tools import nvidia

STAGE = "ptxas"


def register_remarks(ptx: str, target: str, plans: Mapping[str, Any]) -> Iterator[Remark]:
    """Yield a remark for each entry of PTX, given their launch plans, by symbol.

    ToolError if ptxas is not installed, or fails.
    """
    used = nvidia.assemble_verbosely(ptx, target).usage
    for symbol, plan in plans.items():
        if plan["entry"] in used:
            yield _remark(symbol, target, plan, used[plan["entry"]])


def _remark(symbol: str, target: str, plan: Mapping[str, Any], used: nvidia.Usage) -> Remark:
    spilled = used.stored + used.loaded
    threads, shared = prod(plan["block"]), plan["dynamic_shared_memory"]
    fits = occupancy(target, threads, used.registers, shared, used.barriers)
    by = " and ".join(fits.limited_by)
    resident = f"an SM holds at most {counted(fits.blocks, 'block')}, limited by {by}"
    reasons = [Reason("spilled", spilled)] if spilled else []
    return Remark(
        STAGE,
        symbol,
        None,
        f"{used.registers} registers a thread",
        "; ".join([*map(str, reasons), resident]),
        {
            "reasons": tuple(reason.id for reason in reasons),
            **used._asdict(),
            "blocks": fits.blocks,
        },
        Topic.REGISTERS,
        Outcome.MISSED if spilled else Outcome.PASSED,
        ADVICE["spilled"] if spilled else "",
    )
