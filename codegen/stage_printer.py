"""Print what a stage decided: remarks, and the kernels' text with the remarks as comments.

This is what the stages of all families have in common; each family derives a `StagePrinter`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Generic, NamedTuple, TypeVar

from tileir.ir import Op, Value
from tileir.messages import wording
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.structured import TILE_IR_SPELLING
from tileir.text.printer.text import Spelling
from tileir.text.printer.values import symbol
from tileir.types import Token

from .kernel import KernelIR
from .remarks import Remark
from .stage_names import KeptNames, OriginalNames
from .state import KernelState, State

S = TypeVar("S", bound=State)
K = TypeVar("K", bound=KernelState)
NameOf = Callable[[Value], str]
"""The function that gives the names of values in a text."""
Mark = Callable[[Op], str]
"""The function that gives the text of a comment of its own above each op, by which programs find
the ops of a text."""
Named = Callable[[], "AnnotatedKernel"]
"""The function that gives a text of a kernel after a stage, for the names of values in it."""


class Printed(NamedTuple):
    """The text after a stage, what a report shows of it, and the stage's remarks: see `Stage`."""

    text: str
    excerpt: str
    remarks: tuple[Remark, ...]
    body: str = ""


Rows = Iterator[tuple[Op | None, str, str]]
"""One row a decision: the op that it is about, the decision, and the reason."""


class AnnotatedKernel:
    """The text of one kernel, with comments about its ops.

    `remarks` go above the ops that they are about, as `spelled` spells them; `annotation` is what
    stands behind an op. `names` are those of values, `spelling` is that of types and attributes.
    `mark` gives what stands above each op before its remarks, None for nothing.
    """

    def __init__(
        self,
        kernel: KernelIR,
        remarks: Iterable[Remark],
        spelled: Callable[[Remark], str],
        annotation: Callable[[Op, NameOf], str],
        names: KeptNames,
        spelling: Spelling,
        mark: Mark | None = None,
    ) -> None:
        self._mark = mark
        self._remarks: dict[Op, list[Remark]] = {}
        for remark in remarks:
            if remark.op is not None:
                self._remarks.setdefault(remark.op, []).append(remark)
        self._spelled, self._annotation = spelled, annotation
        pieces: list[str] = []
        self._printer = FunctionPrinter(pieces, {}, None, self, spelling)
        self._printer.names = names
        self._printer.function(kernel.function, kernel.body.block)
        self.text = "".join(pieces)

    def above(self, op: Op) -> Iterator[str]:
        """Return the remarks about an op, as lines."""
        if self._mark is not None:
            yield self._mark(op)
        yield from counted(self._spelled(remark) for remark in self._remarks.get(op, ()))

    def behind(self, op: Op) -> str:
        """Return the short annotation that stands behind an op."""
        return self._annotation(op, self.name)

    def name(self, value: Value) -> str:
        """Return the name of a value in the text."""
        return self._printer.names.value.get(value, "?")

    def op(self, op: Op) -> str:
        """Return an op in a few words: the values that it defines, or else what is in its first
        operand slot."""
        results = [value for value in op.results if not isinstance(value.type, Token)]
        if results:
            return f"{', '.join(map(self.name, results))} = {op.name}"
        first = next(iter(op.operands.values()), ())
        values = first if isinstance(first, tuple) else (first,)
        return " ".join([op.name, ", ".join(map(self.name, values))]).rstrip()


class StagePrinter(ABC, Generic[S, K]):
    """Prints the stages of a family, one after the other, for one compilation.

    It is generic in the family's state of a module, S, and of a kernel in it, K.

    A report shows the kernel's body after the stages in `bodies`: all of it after those in `whole`,
    instead of a list of decisions the ops with comments after the others. The remarks of the stages
    in `superseded` are left out
    of the texts of later stages. `texts` has the stages that write something other than kernels,
    each with the function that takes it out of the state; a report gives only the size of what the
    stages in `long` write.
    """

    target_family: str
    bodies: Sequence[str]
    whole: Sequence[str]
    moves: Sequence[str] = ()
    """Names of ops that only hand on values."""
    superseded: Sequence[str] = ()
    texts: Mapping[str, Callable[[S], str]]
    long: Mapping[str, str]

    def __init__(self, mark: Mark | None = None) -> None:
        self._mark = mark
        self._remarks: dict[K, dict[str, tuple[Remark, ...]]] = {}
        self._names: dict[K, OriginalNames] = {}
        self._legend_shown = 0
        """Lines of the legend that have been part of an excerpt."""
        self._notation_shown: set[str] = set()

    @abstractmethod
    def kernels(self, state: S) -> Sequence[K]:
        """Return the kernels of a module."""

    @abstractmethod
    def remarks(self, name: str, state: S, each: K, named: Named) -> Iterable[Remark]:
        """Return what a stage has decided about the kernel `each`, given the state after it."""

    @abstractmethod
    def annotation(self, each: K, op: Op, name_of: NameOf) -> str:
        """Return what stands behind an op of a kernel; `name_of` gives the names of values."""

    def legend(self, name: str) -> Sequence[str]:
        """Return the definitions of the names in annotations after a stage; later stages add."""
        return ()

    def notation(self, name: str, state: S) -> Sequence[str]:
        """Return what has to be known to read the text after a stage, as pieces of comments."""
        return ()

    def summary(self, name: str, each: K, named: Named) -> Sequence[str]:
        """Return a summary of a kernel, to stand above its body after a stage."""
        return ()

    def spelling(self, name: str) -> Spelling:
        """Return how the kernels after a stage are spelled."""
        return TILE_IR_SPELLING

    def module(self, kernels: Iterable[str], spelling: Spelling) -> str:
        """Return the text of a module from those of its kernels."""
        return "\n".join(kernels)

    def spelled(self, remark: Remark) -> str:
        """Return the text of a remark."""
        return str(remark)

    def print(self, name: str, state: S) -> Printed:
        """Print the stage that has just ended, from the state after it."""
        kernels = self.kernels(state)
        named = {each: cache(partial(self._kernel, name, each, ())) for each in kernels}
        for each in kernels:
            found = tuple(self.remarks(name, state, each, named[each]))
            self._remarks.setdefault(each, {})[name] = found
        own = [self._remarks[each][name] for each in kernels]
        every = tuple(remark for remarks in own for remark in remarks)
        spelling = self.spelling(name)
        texts = [self._text(name, each, spelling) for each in kernels]
        lines = [
            line
            for remarks, text in zip(own, texts, strict=True)
            for line in self._listed(remarks, text, len(texts) > 1)
        ]
        listed = "".join(f"// {line}\n" for line in lines)
        if name in self.texts:
            text = self.texts[name](state)
            if name not in self.long:
                return Printed(listed + text, listed + text, every)
            size = f"// {text.count(chr(10))} lines of {self.long[name]}\n"
            comments = "".join(f"; {line}\n" for line in lines)
            return Printed(comments + text, listed + size, every)
        summaries = [
            "".join(f"// {line}\n" for line in self.summary(name, each, named[each]))
            for each in kernels
        ]
        heads = [self._head(self._so_far(name, each)) for each in kernels]
        whole = [
            above + head + it.text for above, head, it in zip(summaries, heads, texts, strict=True)
        ]
        text = self.module(whole, spelling)
        legend = [f"// {line}\n" for line in self.legend(name)]
        notation = self.notation(name, state)
        excerpt, body = listed, ""
        if name in self.whole:
            shown = (above + it.text for above, it in zip(summaries, texts, strict=True))
            body = self.module(shown, spelling)
        elif name in self.bodies:
            shown = (
                self._head(remarks) + commented_ops(it.text)
                for remarks, it in zip(own, texts, strict=True)
            )
            excerpt = self.module(shown, spelling)
        new = "".join(it for it in notation if it not in self._notation_shown)
        new += "".join(legend[self._legend_shown :])
        if excerpt or body:
            self._notation_shown.update(notation)
        if body and not excerpt:
            body = new + body
        elif excerpt or legend[self._legend_shown :]:
            excerpt = new + excerpt
        self._legend_shown = max(self._legend_shown, len(legend))
        return Printed("".join([*notation, *legend]) + text, excerpt, every, body)

    def _so_far(self, name: str, each: K) -> Iterator[Remark]:
        """Return the remarks about a kernel of all stages up to the one named `name`."""
        for earlier, remarks in self._remarks[each].items():
            if earlier == name or earlier not in self.superseded:
                yield from remarks

    def _text(self, name: str, each: K, spelling: Spelling) -> AnnotatedKernel:
        """Return the text of a kernel with the remarks about its ops."""
        remarks = () if name in self.texts else self._so_far(name, each)
        return self._kernel(name, each, remarks, spelling)

    def _kernel(
        self, name: str, each: K, remarks: Iterable[Remark], spelling: Spelling | None = None
    ) -> AnnotatedKernel:
        if each not in self._names:
            self._names[each] = OriginalNames(each.kernel)
        spelling = spelling or self.spelling(name)
        annotation = partial(self.annotation, each)
        names = KeptNames(self._names[each], each.kernel.body, self.moves)
        text = AnnotatedKernel(
            each.kernel, remarks, self.spelled, annotation, names, spelling, self._mark
        )
        names.remember()
        return text

    def _head(self, remarks: Iterable[Remark]) -> str:
        """Return the comments above a kernel: the remarks about it as a whole."""
        return "".join(f"// {self.spelled(each)}\n" for each in remarks if each.op is None)

    def _listed(
        self, remarks: Sequence[Remark], text: AnnotatedKernel, several: bool
    ) -> Iterator[str]:
        """Return remarks as lines, under the kernel's name where there are several kernels."""
        if several and remarks:
            yield symbol(remarks[0].entry)
        lines = Counter(
            (text.op(remark.op) if remark.op else "", self.spelled(remark)) for remark in remarks
        )
        for (op, said), count in lines.items():
            which = f" ({count} such ops)" if count > 1 else ""
            yield f"{op}{which}: {said}" if op else said


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
