"""The walk through one function body, which checks every op and the visibility of its operands.

An op with a problem poisons its results: problems of ops that use them may be consequences, and
are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tileir.errors import LONGEST_MESSAGE, Diagnostic
from tileir.formats.errors import shorten
from tileir.formats.ops.spec import Row
from tileir.formats.version import Version
from tileir.ir import Block, Op, Value
from tileir.ir.dialect import TILE_IR, Dialect
from tileir.ir.locations import Location
from tileir.read.function import Function, Global
from tileir.types import Type

from .catalogue import SUSPICIONS, declare, of_dialect
from .constraints import Problem, signature, type_problem, version_problem
from .malformed import (
    OTHER_DIALECT,
    Right,
    malformed,
    malformed_body,
    malformed_location,
    malformed_types,
)
from .rules.control_flow import Frame, ending_problem, placement_problem, receiver, region_problem
from .rules.debug import Scopes
from .rules.symbols import hint_problem, use_problem
from .rules.targets import GATE, gate
from .single import own_problem

DOMINANCE = declare(
    "dominance",
    "An op may use the parameters of its function, results of ops before it in its block, and what "
    "is visible to the ops around it; not what an op after it defines, or one in another region.",
)


PARAMETERS = declare(
    "parameters",
    "The parameters of a body have the types of its function's signature. Those of a file always "
    "do; block arguments may have been added or removed since.",
    "set the function's type as well",
)


Alike = dict[tuple, tuple[Problem | None, list[Type]]]
"""Signature of an op -> what is wrong with its types, and those, which keeps the key valid."""


def body_diagnostics(
    function: Function,
    variables: Mapping[str, Global],
    version: Version,
    target: str | None = None,
    warn: bool = False,
    dialect: Dialect = TILE_IR,
    alike: Alike | None = None,
) -> list[Diagnostic]:
    """Return what is wrong with a function's body in a dialect, op by op in pre-order.

    `variables` are the globals of the module by name, `version` is the module's bytecode version.
    With `warn`, warnings are included, and with a `target`, what tileiras refuses for it. The rules
    of a dialect about bodies follow, if every op is right by itself. `alike` is what is known of
    ops of this dialect and version, and grows.
    """
    walk = _Walk(
        function, variables, version, target, warn, dialect, {} if alike is None else alike
    )
    diagnostics = walk.run()
    if not diagnostics:
        walk.check_body()
    return diagnostics


class _Scope:
    """A block that is being walked through.

    defined  the values that it has defined so far
    pending  the op whose regions are being walked; its results are defined after them
    """

    __slots__ = ("block", "defined", "frame", "ops", "pending")

    def __init__(self, block: Block, frame: Frame) -> None:
        self.block = block
        self.frame = frame
        self.ops: Iterator[Op] | None = None
        self.defined: list[Value] = []
        self.pending: Op | None = None


class _Walk:
    def __init__(
        self,
        function: Function,
        variables: Mapping[str, Global],
        version: Version,
        target: str | None,
        warn: bool,
        dialect: Dialect,
        alike: Alike,
    ) -> None:
        """Look at what is wrong with the body itself; then there are no ops to walk over."""
        self.function = function
        self.variables = variables
        self.target = target
        self.warn = warn
        self.version = version
        self.dialect = dialect
        self.diagnostics: list[Diagnostic] = []
        self.visible: set[Value] = set()
        self.poisoned: set[Value] = set()
        self.alike = alike
        self.failed: set[Op] = set()
        self.scopes = Scopes(function.name, function.location)
        self.located: set[Location] = set()
        self.right: Right = set()
        body = function.body  # decoded first, as `op_locations` needs it
        problem = malformed_body(body) or malformed_types(body.block.arguments, dialect)
        problem = problem or _other_parameters(function)
        self.stack = [] if problem else [_Scope(body.block, Frame(None, dialect=dialect))]
        if problem:
            self._report(None, problem)
        of_a_file = isinstance(function, Function)
        self.locate_op = function.locate_op if of_a_file else None
        read = function.op_locations() if of_a_file else []
        self.misplaced = any(map(self.scopes.problem, read))

    def run(self) -> list[Diagnostic]:
        """Return everything that is wrong, in the order of the file."""
        stack = self.stack
        while stack:
            scope = stack[-1]
            if scope.ops is None:
                scope.ops = self._enter(scope)
            elif scope.pending is not None:
                self._define(scope, scope.pending.results)
                scope.pending = None
            for op in scope.ops:
                problem = malformed(op, self.right, self.dialect) or self._malformed(op)
                if problem:
                    self._give_up(op, problem)
                    if problem[0] is OTHER_DIALECT:  # and so are many more
                        return self.diagnostics
                    continue
                self._op(op, scope)
                if op.regions:
                    scope.pending = op
                    stack += self._regions(op, scope.frame)
                    break
                if op.results:
                    self._define(scope, op.results)
            else:
                self.visible.difference_update(scope.defined)
                stack.pop()
        return self.diagnostics

    def _malformed(self, op: Op) -> Problem | None:
        """Return what is wrong with an op's location, its types, and its blocks' arguments."""
        dialect = self.dialect
        problem = malformed_types(op.results, dialect)
        if op.unread_location is None:
            problem = problem or malformed_location(op.location, self.located)
        if not op.spec.regions:
            return problem
        if op.regions:  # what is in them is compared with the operands
            problem = problem or malformed_types(op.operand_list(), dialect)
        for region in op.regions:
            for block in region.blocks:
                problem = problem or malformed_types(block.arguments, dialect)
        return problem

    def _give_up(self, op: object, problem: Problem) -> None:
        """Report a malformed op, and poison its results."""
        if not isinstance(op, Op):
            return self._report(None, problem)
        listed = op.results if isinstance(op.results, list | tuple) else ()
        results = [value for value in listed if isinstance(value, Value)]
        self.visible.update(results)
        self.poisoned.update(results)
        return self._report(op if isinstance(op.spec, Row) else None, problem)

    def _enter(self, scope: _Scope) -> Iterator[Op]:
        block = scope.block
        self._define(scope, block.arguments)
        whole = not any(malformed(op, dialect=self.dialect) for op in block.ops[-1:])
        problem = ending_problem(block, scope.frame) if whole else None
        if problem:
            op = block.ops[-1] if block.ops else scope.frame.op
            self._report(op, problem)
        return iter(block.ops)

    def _define(self, scope: _Scope, values: list[Value]) -> None:
        self.visible.update(values)
        scope.defined += values

    def _regions(self, op: Op, frame: Frame) -> list[_Scope]:
        scopes = [
            _Scope(block, frame.inside(op, index))
            for index, region in enumerate(op.regions)
            for block in region.blocks
        ]
        return scopes[::-1]

    def _op(self, op: Op, scope: _Scope) -> None:
        """Check a well-formed op."""
        key = signature(op)
        hidden, tainted = self._look_at_operands(op)
        problem = hidden
        if problem is None:
            known = self.alike.get(key)
            if known is None:
                types = [value.type for value in (*op.operand_list(), *op.results)]
                known = self.alike[key] = self._types(op), types
            problem = known[0]
        if problem is None:
            problem = self._particular(op, scope)
        if problem is not None:
            self.poisoned.update(op.results)
            if op.regions:
                self.failed.add(op)
                for region in op.regions:
                    for block in region.blocks:
                        self.poisoned.update(block.arguments)
            if not tainted and not (self.failed and receiver(op, scope.frame) in self.failed):
                self._report(op, problem)
        elif self.warn and not tainted:
            self._suspect(op)
        unread = op.unread_location  # what the file says, `op_locations` has
        as_read = unread is not None and unread == self.locate_op
        if self.misplaced or not as_read:
            problem = self.scopes.problem(op.location)
            if problem:
                self._report(op, problem)

    def _types(self, op: Op) -> Problem | None:
        """Return what is wrong with the types of an op, which alone decide about it."""
        return (
            malformed_types(op.operand_list(), self.dialect)
            or type_problem(op, self.dialect)
            or (version_problem(op, self.version) if self.dialect is TILE_IR else None)
        )

    def _look_at_operands(self, op: Op) -> tuple[Problem | None, bool]:
        """Return the problem of an operand that is not visible, and whether one is poisoned."""
        visible, poisoned, tainted, index = self.visible, self.poisoned, False, 0
        for value in op.operands.values():
            if value is None:
                continue
            for one in value if value.__class__ is tuple else (value,):
                if one not in visible:
                    return (DOMINANCE, f"operand #{index} does not dominate this use", ""), tainted
                if poisoned and one in poisoned:
                    tainted = True
                index += 1
        return None, tainted

    def _particular(self, op: Op, scope: _Scope) -> Problem | None:
        """Return what else is wrong with an op whose types agree with its row."""
        problem = own_problem(op, self.dialect)
        if problem:
            return problem
        if op.spec.mnemonic == "get_global":
            return use_problem(op, self.variables)
        problem = hint_problem(op.attributes.get("optimization_hints"))
        if problem:
            return problem
        if op.regions:
            problem = region_problem(op)
            if problem:
                return problem
        if op.spec.terminator or scope.frame.combining:
            last = op is scope.block.ops[-1]
            return placement_problem(op, scope.frame, last, self.function.name)
        return None

    def _suspect(self, op: Op) -> None:
        for rule, check in SUSPICIONS.get(op.spec.mnemonic, ()):
            text = check(op)
            if text:
                self._report(op, (rule, text, rule.hint))
        if self.target is not None:
            text = gate(op, self.target)
            if text:
                self._report(op, (GATE, text, GATE.hint))

    def check_body(self) -> None:
        """Check the dialect's rules about bodies."""
        for check in self.dialect.body_rules:
            for op, text in check(self.function.body):
                self._report(op, (of_dialect(check), text, ""))

    def _report(self, op: Op | None, problem: Problem) -> None:
        rule, text, hint = problem
        location = op.location if op else None
        wrong = malformed_location(location, self.located)
        where = "" if location is None or wrong else str(location)
        self.diagnostics.append(
            Diagnostic(
                rule.severity,
                rule.id,
                shorten(text, LONGEST_MESSAGE),
                (op.offset or None) if op else None,
                self.function.name,
                shorten(where, LONGEST_MESSAGE),
                op.name if op else "entry",
                shorten(hint, LONGEST_MESSAGE),
            )
        )


def _other_parameters(function: Function) -> Problem | None:
    """Return what is wrong if the parameters of the body are not those of the signature."""
    types = tuple(value.type for value in function.body.block.arguments)
    if types == getattr(function.type, "parameters", types):
        return None
    spelled = ", ".join(map(str, types))
    text = f"the function is {function.type}, its parameters are ({spelled})"
    return PARAMETERS, text, PARAMETERS.hint
