"""How any family tells what its stages did: rows of decisions, and bodies with comments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tileir.ir import Op
from tileir.text.printer.functions import FunctionPrinter
from tileir.text.printer.values import symbol
from tileir.types import Token

from .pipeline import STAGES
from .remarks import Remark

Told = tuple[str, str, tuple[Remark, ...]]
"""The text after a stage, what the story shows of it, and its rows."""


class KernelText:
    """The text of one kernel with what has been decided about its ops.

    `about` are the rows so far, `word` what stands behind an op.
    """

    def __init__(
        self, function: Any, body: Any, about: Iterable[Remark], teller: Teller, each: Any
    ) -> None:
        self._rows: dict[Op, list[Remark]] = {}
        for row in about:
            if row.op is not None:
                self._rows.setdefault(row.op, []).append(row)
        self._teller, self._each = teller, each
        pieces: list[str] = []
        self._printer = FunctionPrinter(pieces, {}, None, self)
        self._printer.function(function, body.block)
        self.text = "".join(pieces)

    def above(self, op: Op) -> Iterator[str]:
        """The rows about an op."""
        yield from counted(self._teller.spelled(row) for row in self._rows.get(op, ()))

    def behind(self, op: Op) -> str:
        """What the family says about an op in a word."""
        return self._teller.word(self._each, op, self.name)

    def name(self, value: Any) -> str:
        """What a value is called in the text."""
        return self._printer.names.value.get(value, "?")

    def op(self, op: Op) -> str:
        """An op in a few words: what it defines, or what it works on."""
        results = [value for value in op.results if not isinstance(value.type, Token)]
        if results:
            return f"{', '.join(map(self.name, results))} = {op.name}"
        return " ".join([op.name, *(self.name(value) for value in [*op.operand_list()][:1])])


class Teller(ABC):
    """Tells what each stage of a family did; one teller goes along with one compilation.

    `bodies` are the stages of which the story shows the body, the first one as a whole, the others
    where they have something to say; `passing` those whose rows are overtaken by later ones.
    `texts` has, for stages that make other text, what makes it of the state; of those in `long` the
    story shows no more than the size.
    """

    family: str
    bodies: Sequence[str]
    passing: Sequence[str] = ()
    texts: Mapping[str, Callable[[Any], str]]
    long: Mapping[str, str]

    @abstractmethod
    def rows(self, name: str, state: Any, each: Any) -> Iterable[Remark]:
        """What a stage has decided about a kernel, by the state as it is now."""

    @abstractmethod
    def word(self, each: Any, op: Op, called: Callable[[Any], str]) -> str:
        """What stands behind an op of a kernel; `called` names values."""

    _explained = 0
    """Lines of the legend that the story has told."""

    def legend(self) -> Sequence[str]:
        """What words refer to; it grows."""
        return ()

    def spelled(self, row: Remark) -> str:
        """A row in words."""
        return str(row)

    def tell(self, name: str, state: Any) -> Told:
        """What there is after a stage, of which this is the state."""
        rows = [(each, tuple(self.rows(name, state, each))) for each in state.kernels]
        every = tuple(row for _, own in rows for row in own)
        texts = [self._kernel(name, state, each) for each in state.kernels]
        lines = [
            line
            for (_, own), text in zip(rows, texts, strict=True)
            for line in self._listed(own, text, len(texts) > 1)
        ]
        if name in self.texts:
            text = self.texts[name](state)
            listed = "".join(f"// {line}\n" for line in lines)
            if name not in self.long:
                return listed + text, listed + text, every
            size = f"// {text.count(chr(10))} lines of {self.long[name]}\n"
            remarks = "".join(f"; {line}\n" for line in lines)
            return remarks + text, listed + size, every
        whole = "\n".join(self._whole(name, state, each, text) for each, text in
                          zip(state.kernels, texts, strict=True))  # fmt: skip
        legend = [f"// {line}\n" for line in self.legend()]
        shown = "".join(legend[self._explained :])
        self._explained = len(legend)
        if name in self.bodies:
            cut = short if name != self.bodies[0] else str
            shown += "\n".join(
                self._heads(row for row in own if row.op is None) + cut(text.text)
                for (_, own), text in zip(rows, texts, strict=True)
            )
        else:
            shown += "".join(f"// {line}\n" for line in lines)
        return "".join(legend) + whole, shown, every

    def _so_far(self, name: str, state: Any, each: Any) -> Iterator[Remark]:
        """The rows about a kernel up to a stage, as they stand by now."""
        names = STAGES[self.family]
        for earlier in names[: names.index(name) + 1]:
            if earlier not in self.passing:
                yield from self.rows(earlier, state, each)

    def _kernel(self, name: str, state: Any, each: Any) -> KernelText:
        about = () if name in self.texts else self._so_far(name, state, each)
        return KernelText(each.kernel.function, each.kernel.body, about, self, each)

    def _whole(self, name: str, state: Any, each: Any, text: KernelText) -> str:
        """A kernel with all that has been decided: of it as a whole first, then op by op."""
        rows = self._so_far(name, state, each)
        return self._heads(row for row in rows if row.op is None) + text.text

    def _heads(self, rows: Iterable[Remark]) -> str:
        """What is said of a kernel as a whole, above it."""
        return "".join(f"// {self.spelled(row)}\n" for row in rows)

    def _listed(self, rows: Iterable[Remark], text: KernelText, several: bool) -> Iterator[str]:
        """Rows as lines; of several kernels, under the name of each."""
        lines = [
            self.spelled(row) if row.op is None else f"{text.op(row.op)}: {self.spelled(row)}"
            for row in rows
        ]
        if several and lines:
            yield symbol(next(iter(rows)).entry)
        yield from counted(lines)


def short(text: str) -> str:
    """A kernel's text with three dots for ops about which there is no comment."""
    kept: list[str] = []
    wanted = False
    for line in text.splitlines():
        said = "//" in line
        if said or wanted or line.endswith((" ", "{")) or line.lstrip()[:1] in ("}", "("):
            kept.append(line)
        elif not kept or kept[-1].strip() != "...":
            kept.append(line[: len(line) - len(line.lstrip())] + "...")
        wanted = line.lstrip().startswith("//")
    return "\n".join(kept) + "\n"


def counted(lines: Iterable[str]) -> Iterator[str]:
    """Lines without repetitions, but how often each is there."""
    for line, count in Counter(lines).items():
        yield f"{line} ({count} times)" if count > 1 else line
