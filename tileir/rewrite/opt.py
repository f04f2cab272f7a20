"""`opt`: passes run over a module, which is verified before and afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from tileir.bytecode import Bytecode
from tileir.errors import VerifyError
from tileir.verifier.module import verify

from .edited import compacted, editable
from .passes import DEFAULT, Pass, named

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Step(NamedTuple):
    """A pass that has been run: its name, the number of its changes, and the seconds it took."""

    name: str
    changes: int
    seconds: float


Watch = Callable[[Step, Bytecode], None]
"""Called after each pass with the module as it is then, which must not be changed."""


def opt(
    bytecode: Bytecode | ReadableBuffer,
    passes: Iterable[str] = DEFAULT,
    watch: Watch | None = None,
    verify_each: bool = False,
) -> Bytecode:
    """Return a module after these passes, by their names, run in that order.

    What it computes is the same, bit for bit, wherever that is defined. It has only what is used.

    Raises UnsupportedError for an unknown pass, VerifyError for a module that breaks rules,
    BuildError for a file of a newer version, of which something may be unknown. A pass that breaks
    a rule is a RuntimeError, a defect of ours; with `verify_each` it says after which pass.
    """
    given = Bytecode.of(bytecode)
    chosen, made = named(passes), editable(given)
    wrong = errors_of(given)
    if wrong:
        raise VerifyError("the module is not valid, so no pass is run:", wrong)
    for each in chosen:
        step = _run(each, made)
        if verify_each:
            _check(made, f"after {each.name}")
        if watch is not None:
            watch(step, made)
    done = compacted(made)
    _check(done, "afterwards")
    return done


def _run(chosen: Pass, module: Bytecode) -> Step:
    start = time.perf_counter()
    changes = chosen.run(module)
    return Step(chosen.name, changes, time.perf_counter() - start)


def errors_of(module: Bytecode) -> list:
    """Return the rules that a module breaks, as Diagnostics."""
    return [each for each in verify(module) if each.severity == "error"]


def _check(module: Bytecode, when: str) -> None:
    wrong = errors_of(module)
    if wrong:
        raise RuntimeError(f"the module breaks a rule {when}: {wrong[0]}")
