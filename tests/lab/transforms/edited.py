"""Modules whose kernels were transformed, with the ops counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from unittest.mock import patch

from tileir import Bytecode
from tileir.codegen import pipeline
from tileir.codegen.kernel import KernelIR
from tileir.codegen.transform.eliminate_dead_ops import erase_dead_ops
from tileir.codegen.transform.hoist_invariants import hoist_ops
from tileir.codegen.transform.share_common_ops import replace_equal_ops
from tileir.rewrite.opt import Step, opt
from tileir.rewrite.passes import DEFAULT, PASSES
from tileir.write.changed_bodies import check_edited

TRANSFORMS = ("share_common_ops", "hoist_invariants")


@dataclass
class Tally:
    """Ops of some kernels: `before` any transform, those that were `dead` before, those replaced by
    equal ones (`shared`), those moved out of loops (`hoisted`), and those left `after` it all."""

    before: int = 0
    dead: int = 0
    shared: int = 0
    hoisted: int = 0
    after: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self


def transform(bytecode: Bytecode) -> Tally:
    """Transform all kernels of a module in place; BuildError if one breaks a rule afterwards."""
    tally = Tally()
    for function in bytecode.functions:
        kernel = KernelIR.of(function, bytecode)
        tally.before += sum(1 for _ in kernel.walk())
        tally.dead += erase_dead_ops(kernel)
        tally.shared += sum(replace_equal_ops(kernel).values())
        check_edited(kernel.symbol, kernel.body)
        tally.hoisted += len(hoist_ops(kernel))
        check_edited(kernel.symbol, kernel.body)
        tally.after += sum(1 for _ in kernel.walk())
    return tally


EVERY_PASS = (*DEFAULT, *sorted(PASSES.keys() - {*DEFAULT}), *DEFAULT)
"""The passes of `-O`, all others, and those of `-O` again."""


def optimised(bytecode: Bytecode, tally: Tally) -> Bytecode:
    """Return a module after every pass of `tileir opt`, verified after each of them."""
    changes = dict.fromkeys(PASSES, 0)

    def watch(step: Step, module: Bytecode) -> None:
        changes[step.name] += step.changes

    made = opt(bytecode, EVERY_PASS, watch, verify_each=True)
    before, after = (sum(1 for f in each.functions for _ in f.walk()) for each in (bytecode, made))
    tally += Tally(before, changes["dce"], changes["cse"], changes["hoist"], after)
    return made


@contextmanager
def left_out() -> Iterator[None]:
    """Compile without the transforms in here."""
    plain = {
        family: tuple(name for name in names if name not in TRANSFORMS)
        for family, names in pipeline.STAGES.items()
    }
    with patch.dict(pipeline.STAGES, plain):
        yield
