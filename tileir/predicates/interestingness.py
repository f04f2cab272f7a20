"""`--test CMD`: another program decides, as with C-Reduce, llvm-reduce and `wasm-tools shrink`."""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from tileir.errors import ToolError
from tileir.messages.texts import printable
from tileir.supervisor.child import cause

from .predicate import Verdict
from .programs import USUAL, Limits, run_on
from .toolkit import INSTALLED, Toolkit

LONGEST = 160
"""Most characters that are told of the last line that a test has printed as an error."""


@dataclass(frozen=True, slots=True)
class InterestingnessTest:
    """Holds if a command that gets the file as its last argument ends with exit code 0.

    A command that takes too long, or is ended by a signal, says no. The toolkit's tools come first
    on the path of the command.
    """

    command: tuple[str, ...]
    limits: Limits = USUAL
    toolkit: Toolkit = INSTALLED

    @classmethod
    def of(cls, text: str, limits: Limits = USUAL, toolkit: Toolkit = INSTALLED) -> Self:
        """Return the test for a command in one text, split into words as a shell does.

        Words that name files here are made absolute, because the command runs in another folder.
        ValueError if it has no words, or an open quote; ToolError if there is no such program.
        """
        words = shlex.split(text)
        if not words:
            raise ValueError("the command is empty")
        program = shutil.which(words[0])
        if program is None:
            if os.path.isfile(words[0]):
                if not os.access(words[0], os.X_OK):
                    hint = f"chmod +x {shlex.quote(words[0])} makes it so"
                    raise ToolError(f"{words[0]} is not executable; {hint}")
                raise ToolError(f"{words[0]} is not found without ./ before it")
            raise ToolError(f"there is no program {words[0]!r}")
        files = (str(Path(word).absolute()) if os.path.isfile(word) else word for word in words[1:])
        return cls((str(Path(program).absolute()), *files), limits, toolkit)

    @property
    def description(self) -> str:
        """When it holds."""
        return printable(f"{shlex.join(self.command)} ends with exit code 0")

    def using(self, toolkit: Toolkit) -> Self:
        """Return the same question, where the tools of a release come first."""
        return replace(self, toolkit=toolkit)

    def examine(self, data: bytes) -> Verdict:
        """Return whether the command says yes, and how it ended."""
        ended = run_on(data, self.command, self.limits, self.toolkit.environment())
        if ended.too_long:
            return Verdict(None, "it took too long")
        if ended.code == 0:
            return Verdict(True, "")
        seen = f"exit code {ended.code}" if ended.code > 0 else cause(ended.code)
        last = next((line for line in reversed(ended.said.splitlines()) if line.strip()), "")
        return Verdict(False, f"{seen}, {last.strip()[:LONGEST]}" if last else seen)

    def holds(self, data: bytes) -> bool:
        """Whether the command says yes."""
        return self.examine(data).holds is True
