"""What the verifier of the block IR says of a body put together by hand."""

from __future__ import annotations

from tileir.codegen.block.verifier import RULES, located
from tileir.codegen.block.verifier.execution import execution_problems
from tileir.ir import Body


def block_problem(body: Body, ordered: bool = False) -> str | None:
    """Return the first problem of a body, with the op that has it; None if there is none.

    With `ordered`, barriers have been placed: then accesses of shared memory are in order, too.
    """
    rules = (*RULES, execution_problems) if ordered else RULES
    return next((located(*each) for rule in rules for each in rule(body)), None)
