"""The token of a load that is made early: what it comes after outside of the loop."""

from __future__ import annotations

from tileir.codegen.analysis.early_loads import EarlyLoad
from tileir.codegen.block.make import make
from tileir.ir import Op, Value
from tileir.types import Token


def outer_token(early: EarlyLoad, loop: Op) -> Value | None:
    """Return a token from before a loop that is after all that an early load comes after.

    Several tokens are joined before the loop; None if there are none.
    """
    tokens = sorted(early.tokens, key=_order)
    if len(tokens) < 2:
        return tokens[0] if tokens else None
    joined = make("join_tokens", {"tokens": tuple(tokens)}, results=[Token()], origin=early.load)
    joined.insert_before(loop)
    return joined.result


def _order(token: Value) -> tuple[int, int, int]:
    """Order tokens from around one loop by where they are defined, outer ones first."""
    if isinstance(token.owner, Op):
        return token.owner.depth, token.owner.index, token.index
    around = token.owner.parent_op
    return (-1 if around is None else around.depth), -1, token.index
