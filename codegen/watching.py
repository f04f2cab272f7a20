"""Compiling with somebody watching: what each stage did, from Tile IR to PTX or machine code.

Texts are made when somebody asks, by compiling once more and looking at the state after each stage.
What a family has to say about its states is in `telling.py` of its package.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tileir.errors import UnsupportedError
from tileir.messages.wording import did_you_mean

from . import pipeline
from .stage import Stage
from .state import State
from .targets import package_of

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode


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


def _says(family: str, name: str) -> str:
    """The first sentence about a stage, as a clause."""
    said = (pipeline.stage_of(family, name).__doc__ or "").strip().partition("\n")[0]
    return said[:1].lower() + said[1:].removesuffix(".")
