"""Who can be asked about a file, and what each of them answers: text, verdict, values.

One table; what compares two of them asks what both answer.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tileir.errors import UnsupportedError
from tileir.gpus import TARGETS
from tileir.messages.wording import choice, did_you_mean
from tileir.supervisor.child import cause, ran_out_of_memory
from tileir.tools.nvidia import architecture

from .answer import KINDS, Answer, Kind
from .children import Children
from .ours import Without, asked
from .programs import FILE, USUAL, Ended, Limits, run_on
from .toolkit import INSTALLED, Toolkit


class Bench:
    """What subjects are asked with: limits, NVIDIA's tools, a grid, and children of ours.

    grid     of launches; None: as the kernel uses its block's index
    without  optional stages of our compiler that are left out, by the family of the target
    """

    def __init__(
        self,
        limits: Limits = USUAL,
        toolkit: Toolkit = INSTALLED,
        grid: tuple[int, ...] | None = None,
        without: Without | None = None,
        children: Children | None = None,
    ) -> None:
        self.limits, self.toolkit, self.grid = limits, toolkit, grid
        self.without: Without = without or {}
        self.children = children or Children(limits)
        self._last = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return Bench, (self.limits, self.toolkit, self.grid, self.without)

    def using(self, toolkit: Toolkit) -> Bench:
        """Return the same with the tools of a release; children are shared."""
        return Bench(self.limits, toolkit, self.grid, self.without, self.children)

    def leaving_out(self, without: Without) -> Bench:
        """Return the same with other stages left out; children are shared."""
        return Bench(self.limits, self.toolkit, self.grid, without, self.children)

    def checked(self, data: bytes) -> Answer:
        """Return what a launch on the CPU under checks says; its text is the grid if all is well.

        It is asked for each processor whose values are compared, one after the other.
        """
        if getattr(self._last, "data", None) is not data:
            self._last.answer = self.children.ask(
                "checked", asked("host", self.grid, data, self.without)
            )
            self._last.data = data
        return self._last.answer


class Row(NamedTuple):
    """A kind of subject: what it answers, how it is asked, its default GPU, and what it is.

    A subject without a default GPU is asked about none.
    """

    answers: tuple[Kind, ...]
    ask: Callable[[Bench, str, bytes], Answer]
    target: str
    summary: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody who can be asked about a file: a row of the table, and a GPU where that takes one.

    It is spelled as in ``tileiras:sm_90``.
    """

    name: str
    target: str = ""

    @classmethod
    def of(cls, text: str) -> Subject:
        """Return the subject that is spelled so; UnsupportedError if there is none."""
        name, _, target = text.strip().partition(":")
        if name in TARGETS and not target:
            return cls(GPU, name)
        row = SUBJECTS.get(name)
        if row is None or name == GPU:
            meant = did_you_mean(name, [*SUBJECTS, *TARGETS])
            raise UnsupportedError(
                f"there is no {text!r}{meant}; there are: {choice(SPELLED, quoted=False)}"
            )
        if target and not row.target:
            raise UnsupportedError(f"{name} is asked about no GPU: {text!r}")
        if row.target and target and target not in TARGETS:
            meant = did_you_mean(target, TARGETS)
            raise UnsupportedError(f"there is no GPU {target!r}{meant}")
        return cls(name, target or row.target)

    def __str__(self) -> str:
        if self.name == GPU:
            return self.target
        return f"{self.name} for {self.target}" if self.target else self.name

    @property
    def answers(self) -> tuple[Kind, ...]:
        """What it answers."""
        return SUBJECTS[self.name].answers

    def ask(self, data: bytes, bench: Bench) -> Answer:
        """Return what it says of a file with these bytes; ToolError if it is not installed."""
        return SUBJECTS[self.name].ask(bench, self.target, data)


def common(one: Subject, other: Subject) -> Kind | None:
    """Return what two subjects both answer, by which they are compared; None: nothing."""
    return next((k for k in KINDS if k in one.answers and k in other.answers), None)


# NVIDIA's tools --------------------------------------------------------------------------------

_INTERNAL = re.compile(
    r"LLVM ERROR|PLEASE submit a bug report|Stack dump|Assertion .*failed|UNREACHABLE executed"
    r"|terminate called|internal (?:compiler )?error|died due to signal",
    re.IGNORECASE,
)
"""What LLVM, C++ and ptxas say when they give up, besides the signal that ends most of them."""
_TOO_OLD = re.compile(
    r"Cannot find option named|unsupported Tile (?:IR bytecode )?version|invalid GPU architecture"
)
"""What tools say of GPUs and of versions of the bytecode that they do not know.

Up to 13.2, tileiras calls a version above its own an invalid GPU architecture.
"""


def _tileirdisasm(bench: Bench, target: str, data: bytes) -> Answer:
    ended = _ran(bench, data, "tileirdisasm")
    return _judged(ended, text=ended.out if ended.code == 0 else None)


def _tileiras(bench: Bench, target: str, data: bytes) -> Answer:
    options = ["--gpu-name", target, "-o", "kernel.cubin"]
    return _judged(_ran(bench, data, "tileiras", *options))


def _ptxas(bench: Bench, target: str, data: bytes) -> Answer:
    made = bench.children.ask("ptx_made", asked(target, None, data, bench.without))
    if made.text is None:
        return made
    options = [f"-arch={architecture(made.text, target)}", "-o", "kernel.cubin"]
    return _judged(_ran(bench, made.text.encode(), "ptxas", *options, name="kernel.ptx"))


def _ran(bench: Bench, data: bytes, tool: str, *options: str, name: str = "") -> Ended:
    command = [str(bench.toolkit.tool(tool)), *options]
    return run_on(data, command, bench.limits, bench.toolkit.environment(), name or FILE)


def _judged(ended: Ended, text: str | None = None) -> Answer:
    """Return what the end of a tool means."""
    said = "\n".join(filter(None, (ended.said.strip(), ended.out.strip() if text is None else "")))
    if ended.too_long:
        return Answer(said=said, missing="it took too long")
    if ended.code and ran_out_of_memory(said):  # which the limit alone may have brought about
        return Answer(said=said, missing="it needed more memory")
    if ended.code < 0:
        return Answer(said=said, crash=cause(ended.code))
    if found := _INTERNAL.search(said):
        return Answer(said=said, crash=said[found.start() :].partition("\n")[0])
    if ended.code and _TOO_OLD.search(said):
        return Answer(said=said, missing=said)
    return Answer(ended.code == 0, text, said=said)


# Ours --------------------------------------------------------------------------------------------


def _dis(bench: Bench, target: str, data: bytes) -> Answer:
    return bench.children.ask("disassembled", data)


def _verify(bench: Bench, target: str, data: bytes) -> Answer:
    return bench.children.ask("verified", data)


def _host(bench: Bench, target: str, data: bytes) -> Answer:
    return _launched(bench, "host", data)


def _launched(bench: Bench, target: str, data: bytes) -> Answer:
    """Return the values of a launch that does nothing undefined."""
    checked = bench.checked(data)
    if checked.text is None:
        if target == "host":
            return checked
        return Answer(said=checked.said, missing=f"host: {checked.crash or checked.missing}")
    return bench.children.ask(
        "launched", asked(target, json.loads(checked.text), data, bench.without)
    )


GPU = "gpu"
"""The row of all GPUs, whose names are the subjects."""
SUBJECTS = {
    "dis": Row(("text",), _dis, "", "our disassembler"),
    "tileirdisasm": Row(("text", "verdict"), _tileirdisasm, "", "NVIDIA's disassembler"),
    "verify": Row(("verdict",), _verify, "", "our verifier"),
    "tileiras": Row(("verdict",), _tileiras, "sm_100", "NVIDIA's compiler"),
    "ptxas": Row(("verdict",), _ptxas, "sm_90", "NVIDIA's ptxas on our PTX"),
    "host": Row(("values",), _host, "", "our compiler, and a launch on the CPU"),
    GPU: Row(
        ("values",), _launched, "sm_90", "our compiler, and a launch of the PTX on the emulator"
    ),
}
"""Name -> what it is."""
NVIDIAS = ("tileirdisasm", "tileiras", "ptxas")
"""The names of those that depend on the release of NVIDIA's tools."""
SPELLED = ("dis", "tileirdisasm", "verify", "tileiras:sm_100", "ptxas:sm_90", "host", "sm_90, ...")
