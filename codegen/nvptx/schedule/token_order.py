"""What tokens order a load behind: the ops of the kernel that may write what it reads.

Copies by the asynchronous proxy do not see what the kernel wrote through the generic one, in this
block or, where a load acquires it, in another, unless a proxy fence lies between (PTX ISA, "Async
proxy"). In Tile IR, only tokens order a load behind a write.
"""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.analysis.memory_ops import is_plain_load, is_weak
from tileir.codegen.block.control_edges import edges
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.reasons import Reason
from tileir.codegen.ops import Family, family_of, writes_memory
from tileir.ir import Op, Value
from tileir.types import Token


class TokenOrder:
    """Follows tokens back through the ops and the control flow of a kernel."""

    def __init__(self, kernel: KernelIR) -> None:
        self._before: dict[Value, list[Value]] = {}
        for edge in edges(kernel.body):
            for value, after in edge.pairs:
                if value is not None and isinstance(after.type, Token):
                    self._before.setdefault(after, []).append(value)

    @classmethod
    def of(cls, kernel: KernelIR) -> TokenOrder:
        """Analyse the tokens of a kernel."""
        return cls(kernel)

    def why_fenced(self, load: Op) -> Reason | None:
        """Return why a bulk copy in place of a load, or of a copy_async, would need a proxy fence.

        None if it needs none.
        """
        if is_plain_load(load) and not is_weak(load):
            return Reason("ordered")
        for op in self._behind(load):
            if is_plain_load(op) and not is_weak(op):
                return Reason("after_acquire", op.name)
            if writes_memory(op) and family_of(op) is not Family.OTHER:
                return Reason("after_store", op.name)
        return None

    def _behind(self, load: Op) -> Iterator[Op]:
        """Yield the ops whose tokens a load comes after, on any path."""
        token = load.operands["token"]
        stack, seen = [] if token is None else [token], set[Value]()
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            stack += self._before.get(value, ())
            if isinstance(value.owner, Op) and not value.owner.regions:
                yield value.owner
                stack += [each for each in value.owner.operand_list() if _is_token(each)]


def _is_token(value: Value) -> bool:
    return isinstance(value.type, Token)
