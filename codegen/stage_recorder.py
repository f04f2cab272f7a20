"""Record what each stage of a compilation did, from Tile IR to PTX or machine code.

Nothing is recorded in an ordinary compilation: recording compiles once more, and prints the state
after each stage. How it is printed is in `stage_printer.py` of the family's package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tileir.errors import UnsupportedError
from tileir.formats.forks import not_forking

from . import pipeline
from .stage import Stage
from .state import State
from .targets import HOST, package_of
from .transform.locate_in_text import with_text_lines

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

    from .remarks import Remark
    from .stage_printer import Mark


def record_stages(
    bytecode: Bytecode,
    target: str,
    options: Mapping[str, Any],
    until: str | None = None,
    told: Callable[[Stage], object] | None = None,
    mark: Mark | None = None,
) -> dict[str, Stage]:
    """Compile up to the stage named `until`, and return what each stage did, in order.

    `options` are those of `fresh.compile_fresh`. `told` is called with each stage when it has been
    done, which those behind may fail. `mark` gives a comment of its own for each op of their texts.
    UnsupportedError if there is no such stage.
    """
    with not_forking:
        from .fresh import compile_fresh

    target_family = package_of(target)
    if until is not None and (problem := pipeline.unknown_stage(target_family, until)):
        raise UnsupportedError(f"target {target} {problem}")
    with not_forking:
        printer = import_module(f".{target_family}.stage_printer", __package__).Printer(mark)
    stages: dict[str, Stage] = {}

    def record(name: str, state: State) -> None:
        stages[name] = Stage(name, _headline(target_family, name), *printer.print(name, state))
        if told is not None:
            told(stages[name])

    compile_fresh(bytecode, target, **options, after_stage=record, until=until)
    return stages


def record_remarks(
    bytecode: Bytecode, target: str, options: Mapping[str, Any]
) -> tuple[Remark, ...]:
    """Compile as far as decisions are made, and return the remarks on them; none for the host.

    `options` are those of `fresh.compile_fresh`. Lines of source are those of the debug section, or
    of the text that the module was assembled from.
    """
    if package_of(target) == HOST:
        return ()
    with not_forking:
        from .fresh import compile_fresh
        from .nvptx.reports import remarks

    found: list[Remark] = []

    def record(name: str, state: Any) -> None:
        if name == remarks.STAGE:
            found.extend(remarks.remarks_of(state))

    bytecode = with_text_lines(bytecode)
    compile_fresh(bytecode, target, **options, after_stage=record, until=remarks.STAGE)
    return tuple(found)


def _headline(target_family: str, name: str) -> str:
    """Return the first line of a stage's docstring, without capital and full stop."""
    line = (pipeline.stage_of(target_family, name).__doc__ or "").strip().partition("\n")[0]
    return line[:1].lower() + line[1:].removesuffix(".")
