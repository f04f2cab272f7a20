"""After every pass a kernel still keeps the rules of Tile IR."""

from __future__ import annotations

import pytest

from tests.corpus import NEWEST, OLDEST_AND_NEWEST
from tests.every_fixture import Fixture, every_fixture
from tileir import BuildError, Bytecode
from tileir.codegen import pipeline
from tileir.codegen.kernel import Kernel
from tileir.types import Scalar, Tile
from tileir.write.changed_bodies import check_edited

TARGETS = {"host": "host", "nvptx": "sm_90"}


@every_fixture(files=OLDEST_AND_NEWEST)
def every_pass_leaves_valid_ir(fixture: Fixture) -> None:
    bytecode, seen = fixture.parse(), []
    plain = pipeline._pass

    def checked(name: str):
        def run(kernel: Kernel, target: str) -> Kernel:
            after = plain(name)(kernel, target)
            check_edited(after.symbol, after.body)
            seen.append(name)
            return after

        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_pass", checked)
        for family, target in TARGETS.items():
            for function in bytecode.functions:
                pipeline.run(Kernel.of(function, bytecode), family, target)
    passes = [name for family in TARGETS for name in pipeline.PASSES[family]]
    assert sorted(seen) == sorted(passes * len(bytecode.functions))


def test_a_pass_that_breaks_a_rule_is_noticed() -> None:
    bytecode = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    kernel = Kernel.of(bytecode.functions[0], bytecode)
    add = next(op for op in kernel.body.walk() if op.name == "addf")
    add.result.type = Tile(Scalar("f64"), add.result.type.shape)
    with pytest.raises(BuildError, match="same type"):
        check_edited(kernel.symbol, kernel.body)
