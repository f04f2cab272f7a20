"""The faults that a file can have: for each place, what could stand there by mistake.

They are the mistakes that compilers have: a boundary off by one, the other operator, a branch the
wrong way round, a row of a table missing or that of the neighbour, a step left out. Docstrings,
annotations, texts of errors and what only type checkers see are left alone.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator

from .mutation import Mutation

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add),
    ast.FloorDiv: (ast.Mult,),
    ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
}
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}
"""Functions that take the same and mean the opposite."""

TYPES = {"int", "float", "str", "bytes", "bool", "list", "tuple", "dict", "set", "object", "type"}

PROSE = 4
"""A string of so many words is text for people."""

FOR_PEOPLE = {"doc", "help", "description", "message", "title", "epilog", "metavar"}
"""Keyword arguments that take text for people."""


ASKING = {"isinstance", "issubclass", "hasattr", "getattr", "setattr"}
"""Functions whose arguments nobody takes for each other."""

COARSE = {"return nothing", "swapped arguments"}
"""Operators that mostly make something crash, which any test notices: drawn less often."""


def mutations(path: str, source: str) -> list[Mutation]:
    """Every mutant of a file, in the order of its lines."""
    return _Finder(path, source).all()


def compiles(mutation: Mutation, source: str) -> bool:
    """Whether the file with the fault is Python."""
    try:
        compile(mutation.applied(source), mutation.path, "exec", dont_inherit=True)
    except (SyntaxError, SyntaxWarning):
        return False
    return True


class _Finder:
    """Walks one file."""

    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._source = source
        self._bytes = [line.encode() for line in source.splitlines(keepends=True)]
        self._found: list[Mutation] = []
        self._assigned: list[set[str]] = [set()]

    def all(self) -> list[Mutation]:
        self._body(ast.parse(self._source).body, in_function=False)
        return sorted(self._found, key=lambda m: (m.line, m.column, m.operator, m.mutated))

    def _text(self, node: ast.AST) -> str:
        first, last = node.lineno - 1, node.end_lineno - 1
        if first == last:
            return self._bytes[first][node.col_offset : node.end_col_offset].decode()
        middle = self._bytes[first + 1 : last]
        ends = self._bytes[first][node.col_offset :], self._bytes[last][: node.end_col_offset]
        return b"".join([ends[0], *middle, ends[1]]).decode()

    def _add(self, node: ast.AST, operator: str, mutated: str, in_function: bool) -> None:
        at = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        original = self._text(node)
        if original != mutated:
            self._found.append(Mutation(self._path, *at, operator, original, mutated, in_function))

    def _replace(self, node: ast.expr, operator: str, new: ast.expr, in_function: bool) -> None:
        self._add(node, operator, f"({ast.unparse(new)})", in_function)

    # statements

    def _body(self, body: list[ast.stmt], *, in_function: bool) -> None:
        for statement in body:
            if not _is_docstring(statement) and not _is_for_tools(statement):
                self._statement(statement, in_function)

    def _statement(self, node: ast.stmt, inside: bool) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    self._expression(default, inside)
                self._assigned.append({argument.arg for argument in _arguments(node.args)})
                self._body(node.body, in_function=True)
                self._assigned.pop()
                return
            case ast.ClassDef():
                self._body(node.body, in_function=inside)
                return
            case ast.Raise():
                self._add(node, "no raise", "pass", inside)
                return
            case ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
                return
            case ast.Continue():
                self._add(node, "no continue", "pass", inside)
                self._add(node, "break for continue", "break", inside)
            case ast.Break():
                self._add(node, "no break", "pass", inside)
                self._add(node, "continue for break", "continue", inside)
            case ast.Return(value=ast.expr() as value):
                if not isinstance(value, ast.Constant):
                    self._add(node, "return nothing", "return None", inside)
            case ast.Expr(value=ast.Call()) if inside:
                self._add(node, "no call", "pass", inside)
            case ast.AugAssign() if inside:
                self._add(node, "no assignment", "pass", inside)
            case ast.Assign() if inside:
                names = {name.id for name in ast.walk(node) if _is_stored(name)}
                if names <= self._assigned[-1]:  # also where an element or attribute is set
                    self._add(node, "no assignment", "pass", inside)
                self._assigned[-1].update(names)
            case ast.If() | ast.While():
                self._condition(node.test, inside)
        for name, value in ast.iter_fields(node):
            if name == "annotation" or (name == "decorator_list"):
                continue
            if isinstance(value, ast.expr):
                self._expression(value, inside)
            elif isinstance(value, list):
                self._fields(value, inside)

    def _fields(self, values: list[ast.AST], inside: bool) -> None:
        for value in values:
            if isinstance(value, ast.stmt):
                self._body([value], in_function=inside)
            elif isinstance(value, ast.expr):
                self._expression(value, inside)
            elif isinstance(value, ast.ExceptHandler):
                self._body(value.body, in_function=inside)
            elif isinstance(value, ast.match_case):
                if value.guard is not None:
                    self._condition(value.guard, inside)
                    self._expression(value.guard, inside)
                self._body(value.body, in_function=inside)
            elif isinstance(value, ast.withitem):
                self._expression(value.context_expr, inside)

    # expressions

    def _condition(self, test: ast.expr, inside: bool) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp | ast.Constant):
            self._add(test, "not condition", f"(not ({ast.unparse(test)}))", inside)

    def _expression(self, node: ast.expr, inside: bool) -> None:
        match node:
            case ast.JoinedStr():
                return  # 3.11 does not know where the parts of an f-string are
            case ast.Lambda():
                self._expression(node.body, True)
                return
            case ast.Compare():
                self._compare(node, inside)
            case ast.BinOp():
                if _is_type(node):
                    return
                self._binary(node, inside)
            case ast.BoolOp():
                other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                self._replace(node, "and/or", ast.BoolOp(other, node.values), inside)
                for left in range(len(node.values)):
                    kept = [v for i, v in enumerate(node.values) if i != left]
                    new = kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)
                    self._replace(node, "one condition less", new, inside)
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
                if not isinstance(node.operand, ast.Constant):
                    self._replace(node, "no negation", node.operand, inside)
            case ast.Constant():
                self._constant(node, inside)
                return
            case ast.IfExp():
                self._condition(node.test, inside)
                self._replace(node, "only one branch", node.body, inside)
            case ast.Call():
                self._call(node, inside)
            case ast.Dict():
                self._dict(node, inside)
            case ast.Tuple() | ast.List() | ast.Set() if isinstance(
                getattr(node, "ctx", None), ast.Load | None
            ):
                self._row_less(node, inside)
                self._neighbours(node.elts, inside)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, inside)
            elif isinstance(child, ast.comprehension):
                self._expression(child.iter, inside)
                for test in child.ifs:
                    self._condition(test, inside)
                    self._expression(test, inside)
            elif isinstance(child, ast.keyword) and child.arg not in FOR_PEOPLE:
                self._expression(child.value, inside)

    def _compare(self, node: ast.Compare, inside: bool) -> None:
        for index, op in enumerate(node.ops):
            for other in COMPARISONS[type(op)]:
                new = copy.copy(node)
                new.ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
                self._replace(node, "comparison", new, inside)

    def _binary(self, node: ast.BinOp, inside: bool) -> None:
        if not any(_is_text(side) for side in (node.left, node.right)):
            for other in ARITHMETIC.get(type(node.op), ()):
                new = ast.BinOp(node.left, other(), node.right)
                self._replace(node, "arithmetic", new, inside)

    def _constant(self, node: ast.Constant, inside: bool) -> None:
        if isinstance(node.value, bool):
            self._add(node, "constant", str(not node.value), inside)
        elif isinstance(node.value, int):
            self._add(node, "constant", str(node.value + 1), inside)
            if node.value > 0:
                self._add(node, "constant", str(node.value - 1), inside)

    def _call(self, node: ast.Call, inside: bool) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in TWINS:
            self._add(node.func, "twin", TWINS[node.func.id], inside)
        given = node.args
        asks = isinstance(node.func, ast.Name) and node.func.id in ASKING
        for at, (one, other) in enumerate(() if asks else itertools.pairwise(given)):
            if _alike(one, other):
                swapped = [*given[:at], other, one, *given[at + 2 :]]
                new = ast.Call(node.func, swapped, node.keywords)
                self._replace(node, "swapped arguments", new, inside)
        self._neighbours(given, inside)

    def _dict(self, node: ast.Dict, inside: bool) -> None:
        if len(node.keys) >= 2:
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None:
                    row = ast.Expr(ast.Tuple([key, value], ast.Load()))
                    ends = {"end_lineno": value.end_lineno, "end_col_offset": value.end_col_offset}
                    at = {"lineno": key.lineno, "col_offset": key.col_offset}
                    self._add(_placed(row, **at, **ends), "no row", "**{}", inside)
        self._neighbours([key for key in node.keys if key], inside)
        self._neighbours(node.values, inside)

    def _row_less(self, node: ast.Tuple | ast.List | ast.Set, inside: bool) -> None:
        if len(node.elts) >= 3 and len({type(element) for element in node.elts}) == 1:
            for element in node.elts:
                self._add(element, "no row", "*()", inside)

    def _neighbours(self, elements: list[ast.expr], inside: bool) -> None:
        texts = [e for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        for one, other in zip(texts, [*texts[1:], *texts[:1]], strict=True):
            if one.value != other.value and not {_is_prose(one), _is_prose(other)} & {True}:
                self._add(one, "neighbour's string", repr(other.value), inside)


def _placed(node: ast.AST, **at: int) -> ast.AST:
    for name, value in at.items():
        setattr(node, name, value)
    return node


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _alike(one: ast.expr, other: ast.expr) -> bool:
    """Whether two arguments may well be taken for each other: two names, or two constants."""
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        return type(one.value) is type(other.value) and not (_is_prose(one) or _is_prose(other))
    places = ast.Name | ast.Attribute | ast.Subscript
    return isinstance(one, places) and isinstance(other, places)


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_for_tools(node: ast.stmt) -> bool:
    """Whether only type checkers, importers by star or a shell run this."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in {"TYPE_CHECKING", "__name__ == '__main__'"}
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    return bool(names & {"__all__", "__slots__", "__version__"})


def _is_type(node: ast.expr) -> bool:
    """Whether this is a type, or a choice of types."""
    match node:
        case ast.BinOp(op=ast.BitOr()):
            return _is_type(node.left) or _is_type(node.right)
        case ast.Name(id=name):
            return name in TYPES or (name[0].isupper() and not name.isupper())
        case ast.Attribute(attr=name):
            return name[0].isupper() and not name.isupper()
        case ast.Subscript():
            return _is_type(node.value)
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_prose(node: ast.Constant) -> bool:
    return len(str(node.value).split()) >= PROSE
