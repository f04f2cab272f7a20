"""What the stages of a compilation did, as text: a story from Tile IR to PTX or machine code.

It is made when somebody asks, by compiling once more and looking at the state after each stage.
What a family has to say about its states is in `telling.py` of its package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tileir.errors import UnsupportedError
from tileir.messages.wording import did_you_mean

from . import pipeline
from .remarks import Remark
from .state import State
from .targets import package_of

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compilation.

    `says` is what it does, in words. `text` is what there is after it: Tile IR with comments that
    say what has been decided so far, LLVM IR, PTX, or the launch plan. `shown` is what the story
    tells of it: what it decided, and the text where that is worth reading again. `remarks` are its
    decisions as rows.
    """

    name: str
    says: str
    text: str
    shown: str
    remarks: tuple[Remark, ...]

    def __str__(self) -> str:
        return self.text


def stages_of(
    bytecode: Bytecode, target: str, options: Mapping[str, Any], until: str | None = None
) -> dict[str, Stage]:
    """Compile, and keep what each stage did, in order; up to the stage named `until`.

    `options` are those of `fresh.compile_fresh`.
    """
    from .fresh import compile_fresh

    family = package_of(target)
    if until is not None:
        check_name(until, target)
    tell = import_module(f".{family}.telling", __package__).Teller().tell
    found: dict[str, Stage] = {}

    def watch(name: str, state: State) -> None:
        text, shown, remarks = tell(name, state)
        found[name] = Stage(name, _says(family, name), text, shown, remarks)

    compile_fresh(bytecode, target, **options, watch=watch, until=until)
    return found


def check_name(name: str, target: str) -> None:
    """UnsupportedError if compiling for a target has no stage of that name."""
    known = pipeline.STAGES[package_of(target)]
    if name not in known:
        meant = did_you_mean(name, known)
        listed = ", ".join(known)
        raise UnsupportedError(f"target {target} has no stage {name!r}{meant}; there are: {listed}")


def story(stages: Iterable[Stage]) -> str:
    """What some stages did, one after the other."""
    parts = []
    for idle, group in groupby(stages, key=lambda each: not each.shown):
        if idle:
            parts.append(f"// ==== {', '.join(each.name for each in group)}: nothing to do\n")
        else:
            parts += (f"// ==== {each.name}: {each.says}\n{each.shown}" for each in group)
    return "\n".join(parts)


def _says(family: str, name: str) -> str:
    """The first sentence about a stage, as a clause."""
    said = (pipeline.stage_of(family, name).__doc__ or "").strip().partition("\n")[0]
    return said[:1].lower() + said[1:].removesuffix(".")
