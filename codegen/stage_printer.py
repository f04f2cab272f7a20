"""Print what a stage decided: remarks, and the kernels' text with the remarks as comments.

This is what the stages of all families have in common; each family derives a `StagePrinter`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Generic, TypeVar

from tileir.ir import Op, Value
from tileir.messages import wording
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.values import symbol
from tileir.types import Token

from .kernel import KernelIR
from .pipeline import STAGES
from .remarks import Remark
from .state import KernelState, State

S = TypeVar("S", bound=State)
K = TypeVar("K", bound=KernelState)
NameOf = Callable[[Value], str]
"""The function that gives the names of values in a text."""
Printed = tuple[str, str, tuple[Remark, ...]]
"""The text after a stage, the excerpt of it that a report shows, and the stage's remarks."""
Rows = Iterator[tuple[Op | None, str, str]]
"""One row a decision: the op that it is about, the decision, and the reason."""


class AnnotatedKernel:
    """The text of one kernel, with comments about its ops.

    `remarks` go above the ops that they are about, as `spelled` spells them; `annotation` is what
    stands behind an op.
    """

    def __init__(
        self,
        kernel: KernelIR,
        remarks: Iterable[Remark],
        spelled: Callable[[Remark], str],
        annotation: Callable[[Op, NameOf], str],
    ) -> None:
        self._remarks: dict[Op, list[Remark]] = {}
        for remark in remarks:
            if remark.op is not None:
                self._remarks.setdefault(remark.op, []).append(remark)
        self._spelled, self._annotation = spelled, annotation
        pieces: list[str] = []
        self._printer = FunctionPrinter(pieces, {}, None, self)
        self._printer.function(kernel.function, kernel.body.block)
        self.text = "".join(pieces)

    def above(self, op: Op) -> Iterator[str]:
        """Return the remarks about an op, as lines."""
        yield from counted(self._spelled(remark) for remark in self._remarks.get(op, ()))

    def behind(self, op: Op) -> str:
        """Return the short annotation that stands behind an op."""
        return self._annotation(op, self.name)

    def name(self, value: Value) -> str:
        """Return the name of a value in the text."""
        return self._printer.names.value.get(value, "?")

    def op(self, op: Op) -> str:
        """Return an op in a few words: the values that it defines, or else its first operand."""
        results = [value for value in op.results if not isinstance(value.type, Token)]
        if results:
            return f"{', '.join(map(self.name, results))} = {op.name}"
        return " ".join([op.name, *(self.name(value) for value in [*op.operand_list()][:1])])


class StagePrinter(ABC, Generic[S, K]):
    """Prints the stages of a family, one after the other, for one compilation.

    It is generic in the family's state of a module, S, and of a kernel in it, K.

    A report shows the kernel's body after the stages in `bodies`: all of it after the first one,
    the ops with comments after the others. The remarks of the stages in `superseded` are left out
    of the texts of later stages. `texts` has the stages that write something other than Tile IR,
    each with the function that takes it out of the state; a report gives only the size of what the
    stages in `long` write.
    """

    target_family: str
    bodies: Sequence[str]
    superseded: Sequence[str] = ()
    texts: Mapping[str, Callable[[S], str]]
    long: Mapping[str, str]

    @abstractmethod
    def kernels(self, state: S) -> Sequence[K]:
        """Return the kernels of a module."""

    @abstractmethod
    def remarks(self, name: str, state: S, each: K) -> Iterable[Remark]:
        """Return what a stage has decided about the kernel `each`, given the state after it."""

    @abstractmethod
    def annotation(self, each: K, op: Op, name_of: NameOf) -> str:
        """Return what stands behind an op of a kernel; `name_of` gives the names of values."""

    _legend_shown = 0
    """Lines of the legend that have been part of an excerpt."""

    def legend(self) -> Sequence[str]:
        """Return the definitions of the names in annotations; later stages add to them."""
        return ()

    def spelled(self, remark: Remark) -> str:
        """Return the text of a remark."""
        return str(remark)

    def print(self, name: str, state: S) -> Printed:
        """Print the stage that has just ended, from the state after it."""
        kernels = self.kernels(state)
        remarks = [(each, tuple(self.remarks(name, state, each))) for each in kernels]
        every = tuple(remark for _, own in remarks for remark in own)
        texts = [self._kernel(name, state, each) for each in kernels]
        lines = [
            line
            for (_, own), text in zip(remarks, texts, strict=True)
            for line in self._listed(own, text, len(texts) > 1)
        ]
        if name in self.texts:
            text = self.texts[name](state)
            listed = "".join(f"// {line}\n" for line in lines)
            if name not in self.long:
                return listed + text, listed + text, every
            size = f"// {text.count(chr(10))} lines of {self.long[name]}\n"
            comments = "".join(f"; {line}\n" for line in lines)
            return comments + text, listed + size, every
        whole = "\n".join(
            self._whole(name, state, each, text) for each, text in zip(kernels, texts, strict=True)
        )
        legend = [f"// {line}\n" for line in self.legend()]
        excerpt = "".join(legend[self._legend_shown :])
        self._legend_shown = len(legend)
        if name in self.bodies:
            shortened = commented_ops if name != self.bodies[0] else str
            excerpt += "\n".join(
                self._head(remark for remark in own if remark.op is None) + shortened(text.text)
                for (_, own), text in zip(remarks, texts, strict=True)
            )
        else:
            excerpt += "".join(f"// {line}\n" for line in lines)
        return "".join(legend) + whole, excerpt, every

    def _so_far(self, name: str, state: S, each: K) -> Iterator[Remark]:
        """Return the remarks about a kernel of all stages up to the one named `name`."""
        names = STAGES[self.target_family]
        for earlier in names[: names.index(name) + 1]:
            if earlier == name or earlier not in self.superseded:
                yield from self.remarks(earlier, state, each)

    def _kernel(self, name: str, state: S, each: K) -> AnnotatedKernel:
        remarks = () if name in self.texts else self._so_far(name, state, each)
        return AnnotatedKernel(each.kernel, remarks, self.spelled, partial(self.annotation, each))

    def _whole(self, name: str, state: S, each: K, text: AnnotatedKernel) -> str:
        """Return a kernel's text with the remarks of all stages so far."""
        remarks = self._so_far(name, state, each)
        return self._head(remark for remark in remarks if remark.op is None) + text.text

    def _head(self, remarks: Iterable[Remark]) -> str:
        """Return the comments above a kernel: the remarks about it as a whole."""
        return "".join(f"// {self.spelled(remark)}\n" for remark in remarks)

    def _listed(
        self, remarks: Sequence[Remark], text: AnnotatedKernel, several: bool
    ) -> Iterator[str]:
        """Return remarks as lines, under the kernel's name where there are several kernels."""
        lines = [
            f"{text.op(remark.op)}: {self.spelled(remark)}" if remark.op else self.spelled(remark)
            for remark in remarks
        ]
        if several and lines:
            yield symbol(remarks[0].entry)
        yield from counted(lines)


def _dropped(state: State, each: KernelState) -> Rows:
    if each.dropped:
        yield (
            None,
            f"{wording.counted(each.dropped, 'op')} eliminated",
            "their results have no uses",
        )


def _shared(state: State, each: KernelState) -> Rows:
    if each.shared:
        replaced = wording.counted(sum(each.shared.values()), "op")
        yield None, f"{replaced} eliminated", "equal ones run before them"
    for op, count in each.shared.items():
        yield op, f"replaces {wording.counted(count, 'equal op')}", "it runs first"


def _hoisted(state: State, each: KernelState) -> Rows:
    for op, loop in each.hoisted.items():
        yield op, f"hoisted out of a {loop.name}", "its operands do not change there"


TRANSFORMS: dict[str, Callable[[State, KernelState], Rows]] = {
    "eliminate_dead_ops": _dropped,
    "share_common_ops": _shared,
    "hoist_invariants": _hoisted,
}
"""The stages that all families have in common -> their decisions."""


def commented_ops(text: str) -> str:
    """Return a kernel's text with three dots in place of the ops that have no comment."""
    kept: list[str] = []
    wanted = False
    for line in text.splitlines():
        if "//" in line or wanted or line.endswith((" ", "{")) or line.lstrip()[:1] in ("}", "("):
            kept.append(line)
        elif not kept or kept[-1].strip() != "...":
            kept.append(line[: len(line) - len(line.lstrip())] + "...")
        wanted = line.lstrip().startswith("//")
    return "\n".join(kept) + "\n"


def counted(lines: Iterable[str]) -> Iterator[str]:
    """Return lines without repetitions; one that occurs several times says how often."""
    for line, count in Counter(lines).items():
        yield f"{line} ({count} times)" if count > 1 else line
