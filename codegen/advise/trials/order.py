"""Trials of memory semantics: accesses that nothing orders, padding that is zero, no calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tileir.builder import Editor
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.ops import is_atomic, is_load, writes_memory
from tileir.ir import Op, Value
from tileir.types import Token

from .again import array_of
from .tensors import view_of
from .trial import Trial, at_ops

_CALLS = ("print_tko", "assert")


def _weak(op: Op, editor: Editor) -> str | None:
    order = op.attributes.get("memory_ordering_semantics")
    if order in (None, "weak"):
        return None
    if is_atomic(op):
        if order != "relaxed":
            editor.set(op, memory_ordering_semantics="relaxed")
            return "make it relaxed, if nothing else is published or awaited by it"
        return None
    editor.set(op, memory_ordering_semantics="weak", memory_scope=None)
    return "make the access weak, if no other block has to see it"


def _unordered(op: Op, editor: Editor) -> str | None:
    """Order accesses behind nothing of the kernel."""
    token = op.operands.get("token")
    if token is None or not isinstance(token.type, Token) or _meets_others(op, editor):
        return None
    op.operands["token"] = editor.at_start(editor.function.body.block).make_token()
    return "give it a token of its own, if what comes before is of other memory"


def _meets_others(op: Op, editor: Editor) -> bool:
    """Whether an access is of an array that another access is of, too, one of which writes."""
    own, writes = array_of(op), writes_memory(op)
    others = (
        other
        for other in editor.function.walk()
        if other is not op and (writes_memory(other) or (writes and is_load(other)))
    )
    return own is not None and any(array_of(other) is own for other in others)


def _padded_with_zero(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    told: dict[Site, str] = {}
    padded: set[Value] = set()
    for site in sites:
        assert site.number is not None
        view = copy.ops[site.number].operands.get("view")
        if view is not None and getattr(view.type, "padding", None) not in (None, "zero"):
            padded.add(view)
            told[site] = "let the padding value be zero, and replace it behind the load"
    for view in padded:
        view.type = replace(view.type, padding="zero")
    return told


def _silent(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Leave prints and assertions away."""
    symbols = {site.symbol for site in sites}
    for number, op in copy.ops.items():
        if op.name in _CALLS and copy.functions[number].name in symbols:
            for result in op.results:
                block = copy.functions[number].body.block
                result.replace_all_uses_with(copy.editor(number).at_start(block).make_token())
            op.remove()
    return dict.fromkeys(sites, "leave prints and assertions away")


WEAK = at_ops(_weak)
"""Accesses that other blocks need not see."""
RELAXED = at_ops(_weak, alone=True)
"""The same for figures of all of a kernel."""
UNORDERED = at_ops(_unordered)
"""Accesses that come after nothing of this kernel."""
PADDED_WITH_ZERO = Trial(_padded_with_zero, cause=view_of)
"""Views that pad with zero, as tensor copies do."""
SILENT = Trial(_silent)
"""A kernel that calls no function."""
