"""Counted loops: a `loop` that breaks when its counter reaches a bound becomes a `for`.

That is what `while i < n` is in Tile IR. A `for` is known to have a next iteration, so that loads
may start before it. It counts by one, so that the counter cannot overflow, and compares as signed;
nothing else leaves the loop, and nobody wants the counter behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.ops import Family, family_of
from tileir.formats.ops import BY_NAME
from tileir.formats.ops.spec import SILENT
from tileir.ir import Op, Region, Value

from .eliminate_dead_ops import erase_dead_ops

_TEST: Mapping[str, object] = {"comparison_predicate": "less_than", "signedness": "signed"}


def counted_loops(kernel: KernelIR) -> list[Op]:
    """Turn the counted loops of a kernel into `for` loops; return those."""
    facts: Divisibility = kernel.facts(Divisibility)
    made = []
    for loop in reversed([op for op in kernel.walk() if op.name == "loop"]):  # inner ones first
        if counted := _Counted.of(loop, facts):
            made.append(counted.replace())
    if made:
        erase_dead_ops(kernel)
        kernel.edited()
    return made


@dataclass(frozen=True, slots=True)
class _Counted:
    """A loop that counts: the number of its counter among the carried values, and its parts."""

    loop: Op
    counter: int
    bound: Value
    step: Value
    test: Op
    """The `if` that leaves the loop."""
    results: tuple[Value | None, ...]
    """What each result is: the value of an argument, or one from outside; None without uses."""

    @classmethod
    def of(cls, loop: Op, facts: Divisibility) -> _Counted | None:
        """Return the parts of a loop; None if it does not count."""
        block, inside = loop.regions[0].block, set(loop.walk())
        arguments, end = list(block.arguments), block.ops[-1]
        test = next((op for op in block.ops if op.spec.effects not in SILENT or op.regions), None)
        if test is None or test.name != "if" or test.results or end.name != "continue":
            return None
        leave = _leaves(test)
        condition = test.operands["condition"].owner
        if leave is None or not isinstance(condition, Op) or condition.name != "cmpi":
            return None
        if any(condition.attributes[name] != value for name, value in _TEST.items()):
            return None
        number, bound = condition.operands["lhs"], condition.operands["rhs"]
        if number not in arguments or _is_inside(bound, inside, arguments):
            return None
        counter = arguments.index(number)
        following = end.operands["operands"][counter].owner
        if not isinstance(following, Op) or following.name != "addi":
            return None
        step = following.operands["rhs"]
        one = facts[step].constant == 1 and not _is_inside(step, inside, arguments)
        if following.operands["lhs"] is not number or not one:
            return None
        if any(_ends(op, loop) for op in inside - {leave, end}):
            return None
        results: list[Value | None] = []
        for value, result in zip(leave.operands["operands"], loop.results, strict=True):
            if value is number or (value not in arguments and _is_inside(value, inside, arguments)):
                if result.uses:
                    return None
                results.append(None)
            else:
                results.append(value)
        return cls(loop, counter, bound, step, test, tuple(results))

    def replace(self) -> Op:
        """Replace the loop; return the `for`."""
        loop, block = self.loop, self.loop.regions[0].block
        initial, arguments = list(loop.operands["initValues"]), list(block.arguments)
        first, number = initial.pop(self.counter), arguments.pop(self.counter)
        end = block.ops[-1]
        handed = list(end.operands["operands"])
        handed.pop(self.counter)
        end.operands["operands"] = tuple(handed)
        self.test.erase()
        for old in (number, *arguments):
            old.replace_all_uses_with(block.add_argument(old.type))
        for _ in range(len(arguments) + 1):
            block.remove_argument(0)
        region: Region = loop.regions[0]
        loop.regions = []
        made = Op(
            BY_NAME["for"],
            {
                "lowerBound": first,
                "upperBound": self.bound,
                "step": self.step,
                "initValues": tuple(initial),
            },
            {"unsignedCmp": False},
            regions=[region],
            offset=loop.offset,
            position=loop.position,
            location=loop.unread_location or loop.location,
        )
        made.results = [Value(value.type, made, index) for index, value in enumerate(initial)]
        made.insert_before(loop)
        for value, result in zip(self.results, loop.results, strict=True):
            if value is not None:
                own = made.results[arguments.index(value)] if value in arguments else value
                result.replace_all_uses_with(own)
        loop.erase()
        return made


def _leaves(test: Op) -> Op | None:
    """Return the break of an `if` that does nothing but leave where its condition is false."""
    regions = [list(region.block.ops) if region.blocks else [] for region in test.regions]
    if len(regions) != 2 or len(regions[1]) != 1 or regions[1][0].name != "break":
        return None
    return regions[1][0] if all(op.name == "yield" for op in regions[0]) else None


def _ends(op: Op, loop: Op) -> bool:
    """Whether an op inside of a loop ends an iteration of it, or the kernel."""
    if op.name == "return":
        return True
    if op.name not in ("break", "continue"):
        return False
    around = op.parent.parent_op
    while family_of(around) is not Family.LOOP:
        around = around.parent.parent_op
    return around is loop


def _is_inside(value: Value, inside: set[Op], arguments: list[Value]) -> bool:
    """Whether a value is one of a loop's body."""
    if isinstance(value.owner, Op):
        return value.owner in inside
    return value in arguments or value.owner.parent_op in inside
