"""After every stage a kernel still keeps the rules of Tile IR, and every stage is one of a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.codegen.nvptx.loops import loop_over_tiles
from tests.corpus import NEWEST
from tests.every_fixture import Fixture, every_fixture
from tileir import BuildError, Bytecode, assemble
from tileir.codegen import compile, pipeline
from tileir.codegen import host as host_target
from tileir.codegen.block.make import make
from tileir.codegen.block.types import Frag
from tileir.codegen.host import stages as for_host
from tileir.codegen.host import state as on_host
from tileir.codegen.host.planning.tiles import tile_bytes
from tileir.codegen.kernel import KernelIR
from tileir.codegen.kernel_diagnostics import kernel_diagnostics
from tileir.codegen.nvptx import stages as for_gpus
from tileir.codegen.nvptx import state as on_gpus
from tileir.codegen.stage_verifier import VARIABLE, StageError, verifier_for
from tileir.gpus import TARGETS
from tileir.ir import Value
from tileir.ir.constants import to_constant
from tileir.ir.dialect import TILE_IR
from tileir.types import Scalar, Tile
from tileir.write.changed_bodies import check_edited


@every_fixture(files=[*NEWEST.values()])
def every_stage_before_emission_leaves_valid_ir(fixture: Fixture) -> None:
    """The stage verifier looks at bodies that a stage says it has edited.

    Here the last body of each dialect is looked at, whatever stages say.
    """
    bytecode = fixture.parse()
    functions = bytecode.functions
    ours = [
        each for each in functions if not any(host_target.why_not(op, "host") for op in each.walk())
    ]
    gpus = [on_gpus.KernelState(KernelIR.copy_of(each, bytecode), each.name) for each in functions]
    host = [on_host.KernelState(KernelIR.copy_of(each, bytecode)) for each in ours]
    states = {
        "nvptx": on_gpus.State(gpus, TARGETS["sm_100"], {}),
        "host": on_host.State(host),
    }
    for family, state in states.items():
        seen = []
        names = pipeline.STAGES[family]
        until = names[names.index("emit_llvm") - 1]
        ends = {until, names[names.index("to_block_ir") - 1] if "to_block_ir" in names else until}

        def check(name: str, state: object, seen: list[str] = seen, ends: set[str] = ends) -> None:
            seen.append(name)
            for each in state.kernels if name in ends else ():
                if each.kernel.dialect is TILE_IR:
                    check_edited(each.kernel.symbol, each.kernel.body)
                else:
                    assert not kernel_diagnostics(each.kernel)

        assert not pipeline.run(family, state, check, until)
        assert seen == list(names[: names.index("emit_llvm")])


@pytest.mark.parametrize("family", ["nvptx", "host"])
def test_every_stage_is_listed_and_every_listed_one_exists(family: str) -> None:
    module = {"nvptx": for_gpus, "host": for_host}[family]
    assert sorted(pipeline.STAGES[family]) == sorted(module.__all__)
    assert len(set(pipeline.STAGES[family])) == len(pipeline.STAGES[family])
    for name in pipeline.STAGES[family]:
        assert pipeline.stage_of(family, name).__name__ == name


def test_a_stage_that_breaks_a_rule_is_noticed() -> None:
    bytecode = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    kernel = KernelIR.copy_of(bytecode.functions[0], bytecode)
    add = next(op for op in kernel.body.walk() if op.name == "addf")
    add.result.type = Tile(Scalar("f64"), add.result.type.shape)
    with pytest.raises(BuildError, match="same type"):
        check_edited(kernel.symbol, kernel.body)


def test_a_stage_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="host has no stage 'fuze'"):
        pipeline.run("host", on_host.State([]), until="fuze")


def broken_body(state: on_gpus.State) -> None:
    kernel = state.kernels[0].kernel
    add = next(op for op in kernel.walk() if op.name == "addf")
    add.result.type = Tile(Scalar("f64"), add.result.type.shape)
    kernel.edited()


def broken_layout(state: on_gpus.State) -> None:
    required = state.kernels[0].assignment.required
    value = next(value for value in required if value.type.size > 1)
    required[value] = [replace(required[value][0], bits=3)]


def lost_elements(state: on_gpus.State) -> None:
    required = state.kernels[0].assignment.required
    value = next(value for value in required if value.type.size > 1)
    required[value] = [replace(required[value][0], register=())]


def lost_registers(state: on_gpus.State) -> None:
    kernel = state.kernels[0].kernel
    value = next(op.result for op in kernel.walk() if op.name == "addf")
    value.type = replace(value.type, layout=replace(value.type.layout, register=()))
    kernel.edited()


def wrong_turn(state: on_gpus.State) -> None:
    """What is awaited is in the next slot."""
    kernel = state.kernels[0].kernel
    wait = next(op for op in kernel.walk() if op.name == "wait_group")
    wait.operands["turn"] = wait.operands["turn"].owner.operands["turn"]
    kernel.edited()


def stored_in_a_ring(state: on_gpus.State) -> None:
    """A tile that is copied into a ring is stored there, too."""
    kernel = state.kernels[0].kernel
    slot = next(op for op in kernel.walk() if op.name == "shared_slot")
    kind = slot.result.type
    layout = next(op for op in kernel.walk() if op.name == "copy_async").attributes["threads"]
    plain = Tile(kind.element, kind.shape)
    value = make(
        "constant",
        attributes={"value": to_constant(0, plain)},
        results=[Frag(plain.element, plain.shape, layout=layout)],
    )
    place = slot.parent.ops[slot.index + 1]
    value.insert_before(place)
    operands = {"value": value.result, "destination": slot.result}
    make("store_shared", operands).insert_before(place)
    kernel.edited()


def no_barrier(state: on_gpus.State) -> None:
    kernel = state.kernels[0].kernel
    next(op for op in kernel.walk() if op.name == "barrier").erase()
    kernel.edited()


def memory_used_twice(state: on_gpus.State) -> None:
    kernel = state.kernels[0].kernel
    for op in kernel.walk():
        if op.name == "shared_alloc":
            op.attributes["offset"] = 0
    kernel.edited()


def after(monkeypatch: pytest.MonkeyPatch, stage: str, harm: Callable) -> None:
    """Let `harm` change the state when a stage has run."""
    plain = pipeline.stage_of

    def stage_of(target_family: str, name: str) -> Callable:
        def run(state: on_gpus.State | on_host.State) -> None:
            plain(target_family, name)(state)
            if name == stage:
                harm(state)

        return run

    monkeypatch.setattr(pipeline, "stage_of", stage_of)


@pytest.mark.parametrize(
    ("stage", "harm", "said"),
    [
        ("eliminate_dead_ops", broken_body, "addf"),
        ("assign_layouts", broken_layout, "a layout of 8 elements, of tile<"),
        ("assign_layouts", lost_elements, "no thread holds some elements, of tile<"),
        ("unroll_loops", lost_registers, "no thread has some of the elements"),
    ],
)
def test_what_a_stage_breaks_is_found_right_behind_it(
    stage: str, harm: Callable, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(monkeypatch, stage, harm)
    module = Bytecode.parse(NEWEST["vector_add"].read_bytes())
    with pytest.raises(StageError, match=f"stage {stage} left vector_add invalid: .*{said}"):
        compile(module, "sm_90")


def carried_tile(state: on_host.State) -> Value:
    """The first tile that is an argument of a loop's body."""
    ops = state.kernels[0].kernel.walk()
    values = (value for op in ops for it in op.regions for value in it.block.arguments)
    return next(value for value in values if value in state.kernels[0].storage)


def result_tile(state: on_host.State) -> Value:
    """The first tile with a buffer that is the result of an op."""
    values = (value for op in state.kernels[0].kernel.walk() for value in op.results)
    return next(value for value in values if value in state.kernels[0].storage)


@pytest.mark.parametrize("tile_of", [carried_tile, result_tile])
@pytest.mark.parametrize("behind", [True, False])
def test_buffers_outside_of_the_workspace(
    tile_of: Callable, behind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def harm(state: on_host.State) -> None:
        storage, value = state.kernels[0].storage, tile_of(state)
        size = tile_bytes(value)
        assert 0 <= storage.offsets[id(value)] <= storage.size - size
        storage.offsets[id(value)] = storage.size - size + 1 if behind else -1

    after(monkeypatch, "place_buffers", harm)
    module = Bytecode.parse(NEWEST["matmul"].read_bytes())
    said = r"stage place_buffers left .* invalid: a buffer of tile<\S+ has bytes "
    with pytest.raises(StageError, match=said):
        compile(module, "host", cache=False)


@pytest.mark.parametrize(
    ("stage", "harm", "found_behind", "said"),
    [
        ("pipeline_loops", stored_in_a_ring, "pipeline_loops", "a slot that is being filled"),
        # Accesses of shared memory are followed as soon as they should be in order.
        ("pipeline_loops", wrong_turn, "place_fences", "the turn is not that of the slot"),
        ("place_barriers", no_barrier, "place_fences", "no barrier stands between"),
        ("allocate_memory", memory_used_twice, "allocate_memory", "copy_async: no barrier stands"),
    ],
)
def test_what_a_stage_breaks_of_block_ir_is_found(
    stage: str, harm: Callable, found_behind: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(monkeypatch, stage, harm)
    with pytest.raises(StageError, match=f"stage {found_behind} left k invalid: .*{said}"):
        compile(assemble(loop_over_tiles()), "sm_80")


def test_a_tile_in_a_ring_is_not_stored_too() -> None:
    """Of the two tiles of a product, the one that is copied has no other memory than the ring."""
    bytecode = assemble(loop_over_tiles())
    kernel = KernelIR.copy_of(bytecode.functions[0], bytecode)
    state = on_gpus.State([on_gpus.KernelState(kernel, kernel.symbol)], TARGETS["sm_80"], {})
    pipeline.run("nvptx", state, until="pipeline_loops")
    (loop,) = [op for op in kernel.walk() if op.name == "pipelined_for"]
    assert any(op.name == "copy_async" for op in loop.walk())
    assert not any(op.name in ("load_view_tko", "store_shared") for op in loop.walk())
    assert sum(op.name == "shared_alloc" for op in kernel.walk()) == 2


def test_stages_are_verified_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    state = on_gpus.State([], TARGETS["sm_90"], {})
    assert verifier_for("nvptx", state)  # by all tests
    for off in ("", "0"):
        monkeypatch.setenv(VARIABLE, off)
        assert verifier_for("nvptx", state) is None
