"""The Python interface, from signatures and docstrings."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

import tileir

from .markdown import code, prose

PLAIN_DEFAULT = re.compile(r"None|True|False|-?\d+(\.\d+)?|'[^']*'|\(\)|\{\}|<class '\w+'>")
"""Defaults whose text is the same in every process."""


def public_names(kind: str) -> str:
    """Return the sections of `tileir.__all__`: its ``functions``, ``classes`` or ``errors``."""
    found = {name: getattr(tileir, name) for name in tileir.__all__}
    return "\n".join(
        _section(f"tileir.{name}", value) for name, value in found.items() if kind == _kind(value)
    )


def _kind(value: Any) -> str:
    if not isinstance(value, type):
        return "functions"
    raised = issubclass(value, BaseException)
    return (
        "errors" if raised or value is tileir.Diagnostic or value is tileir.Feature else "classes"
    )


def objects(*names: str) -> str:
    """Return the sections of some objects by their dotted names."""
    return "\n".join(_section(name, _found(name)) for name in names)


def module(name: str, *chosen: str) -> str:
    """Return the docstring of a module, and the sections of some names in it."""
    found = importlib.import_module(name)
    parts = [f"```{{py:module}} {name}\n```\n", prose(found.__doc__)]
    parts.append("```{py:currentmodule} None\n```\n")  # names below are whole ones
    parts += [_section(f"{name}.{each}", getattr(found, each)) for each in chosen]
    return "\n".join(parts)


def _found(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _section(name: str, value: Any) -> str:
    if isinstance(value, type):
        return "\n".join(_class(name, value))
    if callable(value):
        return "\n".join(_function("function", name, value))
    return f"::::{{py:data}} {name}\n{prose(_comment(name))}\n::::\n"


def _class(name: str, value: type) -> Iterator[str]:
    kind = "exception" if issubclass(value, BaseException) else "class"
    yield f"::::::{{py:{kind}}} {name}{_signature_without_types(value)}\n"
    yield prose(value.__doc__ if not (value.__doc__ or "").startswith(f"{value.__name__}(") else "")
    about = _attribute_texts(value)
    for attribute, text in about.items():
        yield f":::::{{py:attribute}} {attribute}\n:no-index-entry:\n\n{prose(text)}\n:::::\n"
    for attribute, member in vars(value).items():
        if attribute.startswith("_") or attribute in about:
            continue
        if isinstance(member, property):
            text = prose(member.__doc__)
            yield f":::::{{py:property}} {attribute}\n:no-index-entry:\n\n{text}\n:::::\n"
        elif isinstance(member, classmethod | staticmethod):
            yield from _function("classmethod", attribute, getattr(value, attribute), ":::::")
        elif inspect.isfunction(member):
            yield from _function("method", attribute, member, ":::::")
    yield "::::::\n"


def _function(kind: str, name: str, value: Any, fence: str = "::::::") -> Iterator[str]:
    yield f"{fence}{{py:{kind}}} {name}{_signature_without_types(value, kind == 'method')}"
    yield ":no-index-entry:\n" if kind != "function" else ""
    yield _typed(name.rpartition(".")[2], value)
    yield prose(value.__doc__)
    yield f"{fence}\n"


def _signature(value: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        return None


def _signature_without_types(value: Any, bound: bool = False) -> str:
    """Return the parameters by their names and defaults, without types."""
    signature = _signature(value)
    if signature is None or (isinstance(value, type) and not _has_own_init(value)):
        return "()" if not isinstance(value, type) else ""
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    plain = [each.replace(annotation=each.empty, default=_default(each)) for each in parameters]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _has_own_init(value: type) -> bool:
    return not issubclass(value, BaseException) and "__init__" in vars(value)


class _Dots:
    def __repr__(self) -> str:
        return "..."


def _default(parameter: inspect.Parameter) -> Any:
    known = parameter.default is parameter.empty or PLAIN_DEFAULT.fullmatch(repr(parameter.default))
    return parameter.default if known else _Dots()


def _typed(name: str, value: Any) -> str:
    """Return the signature with its types, as code."""
    signature = _signature(value)
    if signature is None or not any(
        each.annotation is not each.empty for each in signature.parameters.values()
    ):
        return ""
    rows = list(map(_parameter, signature.parameters.values()))
    kinds = [each.kind for each in signature.parameters.values()]
    named = (
        kinds.index(inspect.Parameter.KEYWORD_ONLY)
        if inspect.Parameter.KEYWORD_ONLY in kinds
        else -1
    )
    if named >= 0 and inspect.Parameter.VAR_POSITIONAL not in kinds:
        rows.insert(named, "*")
    rows = [row for row in rows if row != "self"]
    given = signature.return_annotation
    after = "" if given is signature.empty else f" -> {_type(given)}"
    text = f"{name}({', '.join(rows)}){after}"
    if len(text) > 88:
        text = "\n".join([f"{name}(", *(f"    {row}," for row in rows), f"){after}"])
    return code(text, "python")


def _parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    kind = "" if each.annotation is each.empty else f": {_type(each.annotation)}"
    equal = " = " if kind else "="
    default = "" if each.default is each.empty else f"{equal}{_default(each)!r}"
    return f"{stars}{each.name}{kind}{default}"


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _attribute_texts(value: type) -> dict[str, str]:
    """Return the texts that stand below the attributes of a class."""
    node = _parsed(value)
    found = {}
    for here, text in _with_texts(node.body if node else []):
        if isinstance(here, ast.AnnAssign) and isinstance(here.target, ast.Name):
            found[here.target.id] = text
    return {name: text for name, text in found.items() if not name.startswith("_")}


def _with_texts(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the statements that a text stands below, with the text."""
    for here, after in itertools.pairwise(body):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield here, str(after.value.value)


@cache
def _parsed(value: type) -> ast.ClassDef | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError):
        return None
    return tree.body[0] if isinstance(tree.body[0], ast.ClassDef) else None


def _comment(name: str) -> str:
    """Return the text below the assignment of a name, in the module that it is imported from."""
    module, _, attribute = name.rpartition(".")
    found = importlib.import_module(module)
    tree = ast.parse(inspect.getsource(found))
    for here, text in _with_texts(tree.body):
        targets = here.targets if isinstance(here, ast.Assign) else [getattr(here, "target", None)]
        if attribute in [each.id for each in targets if isinstance(each, ast.Name)]:
            return text
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and attribute in [each.name for each in node.names]:
            path = "." * node.level + (node.module or "")
            home = importlib.util.resolve_name(path, found.__package__)
            return _comment(f"{home}.{attribute}")
    return ""
