"""Trials of promises: `assume` ops that say what holds of arguments, and is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tileir.attributes import Attribute, Bounded, DivBy
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.codegen.analysis.divisibility import Divisibility
from tileir.codegen.kernel import KernelIR
from tileir.codegen.nvptx.schedule.pointer_facts import pointers_of
from tileir.codegen.nvptx.schedule.view_facts import ACCESS_BYTES, inner_dim
from tileir.codegen.scalar.types import memory_bytes
from tileir.ir import Op, Value
from tileir.types import Pointer, Scalar

from .parameters import Called, origin, parameters_of
from .tensors import tensor_of
from .trial import Trial

_LONG, _SHORT = Scalar("i64"), Scalar("i32")
_ADDRESSES = 1 << 31
"""Distances in bytes that fit in 32 bits, signed, are less than that."""


@dataclass(frozen=True, slots=True)
class Promise:
    """Something to assume of a value: for one operand of an op, or, without one, for all uses."""

    value: Value
    predicate: Attribute
    op: Op | None = None
    slot: str = ""
    index: int | None = None

    def may_hold(self, parameters: Sequence[Value], arguments: Mapping[int, int]) -> bool:
        """Whether a launch with these arguments, as far as they are known, keeps the promise."""
        source = origin(self.value)
        known = arguments.get(source.index) if source in parameters else None
        if known is None or not isinstance(self.predicate, DivBy):
            return True
        return known % self.predicate.divisor == 0

    def make(self, copy: Copy, number: int) -> None:
        """Insert the `assume`, into the function of the op of that number."""
        editor = copy.editor(number)
        if self.op is None:
            made = editor.at_start(copy.functions[number].body.block).assume(
                self.value, self.predicate
            )
            self.value.replace_all_uses_with(made, where=lambda use: use.op is not made.owner)
            return
        made = editor.before(self.op).assume(self.value, self.predicate)
        given = self.op.operands[self.slot]
        if self.index is not None:
            made = (*given[: self.index], made, *given[self.index + 1 :])
        self.op.operands[self.slot] = made


Wanted = Callable[[Op, KernelIR], Iterator[Promise]]
"""Yields what to promise for an op; what is known already, by the kernel's facts, is left out."""


def _promising(*kinds: Wanted) -> Trial:
    """Return the trial of making promises, each once, for whatever sites want it."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        promises: dict[Promise, int] = {}
        kernels: dict[str, tuple[KernelIR, Called]] = {}
        for site in sites:
            if site.number is None:
                continue
            function = copy.functions[site.number]
            if site.symbol not in kernels:
                kernels[site.symbol] = KernelIR.of(function, copy.module), Called(function.body)
            kernel, called = kernels[site.symbol]
            wanted = [each for kind in kinds for each in kind(copy.ops[site.number], kernel)]
            wanted = [each for each in wanted if each.may_hold(kernel.parameters, copy.arguments)]
            promises |= dict.fromkeys(wanted, site.number)
            texts = dict.fromkeys(f"{each.predicate} of {called(each.value)}" for each in wanted)
            if texts:
                told[site] = f"assume {', '.join(texts)}"
        for promise, number in promises.items():
            promise.make(copy, number)
        return told

    return Trial(edit, cause=tensor_of)


def _aligned_view(op: Op, kernel: KernelIR) -> Iterator[Promise]:
    """Address and strides of the tensor behind a view are multiples of what an access may have.

    That is 16 bytes, or a row of the tile if that is shorter.
    """
    view = tensor_of(op)
    if view is None:
        return
    facts, size = kernel.facts(Divisibility), memory_bytes(view.result.type.element)
    inner = inner_dim(op.operands["view"], facts)
    row = ACCESS_BYTES if inner is None else op.operands["view"].type.tile[inner] * size
    widest = min(ACCESS_BYTES, row)
    if facts[view.operands["base"]].divisor < widest:
        yield Promise(view.operands["base"], DivBy(widest), view, "base")
    for index, stride in enumerate(view.operands["dynamicStrides"]):
        if facts[stride].divisor * size < widest:
            yield Promise(stride, DivBy(widest // size), view, "dynamicStrides", index)


def _aligned_pointers(op: Op, kernel: KernelIR) -> Iterator[Promise]:
    """Parameters that pointers and masks come from are multiples of 16 bytes."""
    if op.operands.get("view") is not None or not _has_pointers(op):
        return
    facts, pointers = kernel.facts(Divisibility), pointers_of(op)
    many = ACCESS_BYTES // memory_bytes(pointers.type.pointee)
    sources = [pointers]
    if op.operands.get("mask") is not None:
        sources.append(op.operands["mask"])
    found = [each for source in sources for each in parameters_of(source, kernel.function)]
    for value in dict.fromkeys(found):
        element = value.type.element
        divisor = ACCESS_BYTES if isinstance(element, Pointer) else many
        counts = isinstance(element, Pointer) or element.is_integer
        if counts and _known(value, facts) < divisor:
            yield Promise(value, DivBy(divisor))


def _has_pointers(op: Op) -> bool:
    slots = ("source", "destination", "pointers")
    return any(op.operands.get(slot) is not None for slot in slots)


def _known(value: Value, facts: Divisibility) -> int:
    """Return the best divisor of a parameter that is known or assumed anywhere."""
    found, waiting = 1, [value]
    while waiting:
        value = waiting.pop()
        found = max(found, facts[value].divisor)
        waiting += [use.op.result for use in value.uses if use.op.name == "assume"]
    return found


def _short(op: Op, kernel: KernelIR) -> Iterator[Promise]:
    """Distances fit in 32 bits: those that an `offset` adds are less than 2 GiB."""
    if op.name != "offset":
        return
    value = op.operands["offset"]
    most = _ADDRESSES // memory_bytes(op.result.type.pointee)
    yield Promise(value, Bounded(-most, most - 1), op, "offset")


def _as_i32(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
    """Let offsets be computed from parameters of 32 bits."""
    told: dict[Site, str] = {}
    texts: dict[Value, str] = {}
    for site in sites:
        assert site.number is not None
        op, function = copy.ops[site.number], copy.functions[site.number]
        if op.name != "offset":
            continue
        given = parameters_of(op.operands["offset"], function)
        long = [value for value in given if value.type.element == _LONG]
        called = Called(function.body)
        for value in long:
            if value not in texts:
                texts[value] = called(value)
                editor = copy.editor(site.number).at_start(function.body.block)
                short = editor.trunci(value, result=replace(value.type, element=_SHORT))
                made = editor.exti(short, "signed", result=value.type)
                value.replace_all_uses_with(
                    made, where=lambda use, op=short.owner: use.op is not op
                )
        if long:
            told[site] = f"pass as i32: {', '.join(texts[value] for value in long)}"
    return told


ALIGNED = _promising(_aligned_view, _aligned_pointers)
"""Everything that an access is computed from is a multiple of 16 bytes."""
SHORT = _promising(_short)
"""Offsets are less than 2 GiB."""
AS_I32 = Trial(_as_i32)
"""Parameters that offsets are computed from have 32 bits."""
