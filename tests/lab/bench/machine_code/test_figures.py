"""Figures of sets of kernels: what fits a multiprocessor, what is told to be worse than before."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import nvidia_tool
from tests.lab.bench import generated
from tests.lab.bench.__main__ import main
from tests.lab.bench.workloads.cases import CASES
from tileir import assemble, verify
from tileir.codegen import compile

from . import against, figure_tables, figures, shapes

OPCODES = Counter(
    {"HMMA.16816.F32": 64, "LDG.E.128": 16, "BAR.SYNC.DEFER_BLOCKING": 2, "IADD3": 18}
)
LOOP = Counter({"HMMA.16816.F32": 32, "LDG.E.128": 8, "IADD3": 10})
CODE = figures.Code(OPCODES, (LOOP,), 8, 1, 128, 256, 32 << 10, "sm_80")


@pytest.mark.parametrize(
    ("target", "registers", "threads", "shared", "blocks"),
    [
        ("sm_80", 32, 256, 0, 8),  # threads
        ("sm_80", 64, 256, 0, 4),  # registers
        ("sm_80", 72, 128, 0, 7),
        ("sm_80", 168, 384, 0, 1),
        ("sm_80", 32, 32, 0, 32),  # blocks
        ("sm_80", 32, 128, 48 << 10, 3),  # shared memory
        ("sm_80", 255, 256, 163 << 10, 1),
        ("sm_120", 32, 128, 33 << 10, 2),
    ],
)
def test_blocks_of_a_multiprocessor(
    target: str, registers: int, threads: int, shared: int, blocks: int
) -> None:
    """As NVIDIA's occupancy calculator says."""
    assert figures.resident(target, registers, threads, shared) == blocks


def test_figures_survive_json() -> None:
    assert figures.of_json(json.loads(json.dumps(CODE.plain())), "sm_80") == CODE


def changed(**parts: object) -> list[str]:
    return against.Change("gemm", "sm_80", replace(CODE, **parts), CODE).worse()


def test_what_is_the_same_or_better_is_not_told() -> None:
    assert changed() == []
    assert changed(registers=120, in_flight=9, groups=2, shared=16 << 10) == []
    assert changed(opcodes=OPCODES + Counter({"IADD3": 3})) == []
    assert changed(registers=120, opcodes=OPCODES - Counter({"BAR.SYNC.DEFER_BLOCKING": 1})) == []


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"opcodes": OPCODES + Counter({"IADD3": 4})}, "instructions 100 -> 104"),
        ({"loops": (LOOP + Counter({"IADD3": 2}),)}, "loop 50 -> 52, 1.040 for the same work"),
        ({"loops": ()}, "loop 50 -> 0"),
        ({"registers": 136}, "blocks on a multiprocessor 2 -> 1 (registers 128 -> 136"),
        ({"shared": 120 << 10}, "blocks on a multiprocessor 2 -> 1"),
        ({"opcodes": OPCODES + Counter({"LDL": 1, "STL.64": 1})}, "local 0 -> 2"),
        ({"opcodes": OPCODES + Counter({"BAR.ARV": 1})}, "barriers 2 -> 3"),
        ({"in_flight": 7}, "in flight 8 -> 7"),
        ({"groups": 0}, "groups 1 -> 0"),
    ],
)
def test_what_is_worse_is_told(parts: dict[str, object], told: str) -> None:
    (found,) = changed(**parts)
    assert told in found


def test_a_loop_that_is_unrolled_once_more_is_no_longer() -> None:
    twice = Counter({name: 2 * count for name, count in LOOP.items()})
    assert against.ratio_of_loops(replace(CODE, loops=(twice,)), CODE) == 1
    other = Counter({"HGMMA.64x64x16.F32": 4, "IADD3": 21})
    assert against.ratio_of_loops(replace(CODE, loops=(other,)), CODE) == 0.5
    assert against.ratio_of_loops(replace(CODE, loops=()), CODE) is None


def test_each_loop_is_compared_with_its_own_work() -> None:
    """The first of two is unrolled twice, and the second one has a tenth more instructions."""
    first, second = Counter({"LDG.E": 1, "FADD": 9}), Counter({"LDG.E": 1, "FADD": 9})
    twice = Counter({"LDG.E": 2, "FADD": 18})
    before = replace(CODE, loops=(first, second))
    now = replace(CODE, loops=(twice, second + Counter({"FADD": 1})))
    assert against.ratio_of_loops(now, before) == pytest.approx(1.05)


def test_a_loop_that_fills_a_ring_is_not_the_one_that_counts() -> None:
    fill = Counter({"LDGSTS.E.BYPASS.128": 4, "BRA": 1})
    assert replace(CODE, loops=(fill, LOOP)).loop == CODE.loop
    assert replace(CODE, loops=(fill, fill)).loop == 10


def test_the_mean_is_geometric() -> None:
    assert against.mean([0.5, None, 2]) == pytest.approx(1)
    assert against.mean([None]) is None


def rows(code: figures.Code) -> list[figures.Row]:
    return [figures.Row("gemm", "sm_80", code, CODE), figures.Row("other", "sm_80", "no", "none")]


def test_a_run_compares_with_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "before.json"
    asked = []

    def measure(*given: object, **options: object) -> list[figures.Row]:
        asked.append((*given, options))
        return made

    monkeypatch.setattr(figures, "measure", measure)
    monkeypatch.setattr("tests.lab.bench.machine_code.static.missing", list)
    made = rows(CODE)
    usual = ["static", "--set", "workloads", "--only", "rope", "--target", "sm_80"]
    assert main([*usual, "--json"]) == 0
    path.write_text(capsys.readouterr().out)
    sources, targets, options = asked[0]
    assert (list(sources), targets) == (["rope"], ["sm_80"])
    assert options == {"beside": True, "jobs": 2}
    assert main(usual) == 0
    shown = capsys.readouterr().out
    assert "100 / 100" in shown
    assert "geometric mean" in shown
    assert "\u2026" not in shown, "something was cut"
    assert main([*usual, "--against", str(path)]) == 0
    assert "instructions 1.000, loops 1.000 of before" in capsys.readouterr().out
    made = rows(replace(CODE, registers=136))
    assert main([*usual, "--against", str(path)]) == 1
    assert "WORSE gemm sm_80: blocks on a multiprocessor 2 -> 1" in capsys.readouterr().out
    made = [figures.Row("gemm", "sm_90", CODE, CODE)]
    assert main([*usual, "--against", str(path)]) == 0
    assert "not compared, as earlier figures lack it: gemm sm_90" in capsys.readouterr().out
    made = [figures.Row("gemm", "sm_80", "sm_80 lacks everything", CODE)]
    assert main([*usual, "--against", str(path)]) == 1
    assert "gemm sm_80: sm_80 lacks everything" in capsys.readouterr().out


def test_sets_are_the_kernels_that_there_are() -> None:
    assert set(figures.SETS["workloads"]) == set(CASES)
    assert list(figure_tables.chosen(["kernels", "workloads"], ["rope", "copy"])) == [
        "copy",
        "rope",
    ]
    everything = figure_tables.chosen(figures.SETS, None)
    assert set(everything.values()) == {
        path for each in figures.SETS.values() for path in each.values()
    }
    assert list(figure_tables.chosen(["workloads", "fixtures"], ["histogram"]).items()) == [
        ("histogram", figures.SETS["workloads"]["histogram"]),
        ("histogram (fixtures)", figures.SETS["fixtures"]["histogram"]),
    ]


@pytest.mark.parametrize("kind", generated.TYPES)
@pytest.mark.parametrize(("m", "n"), [(16, 64), (64, 32)])
def test_products_of_any_shape_are_valid(kind: str, m: int, n: int) -> None:
    bytecode = assemble(generated.product(kind, m, n, 32))
    verify(bytecode)
    assert ("mma.sync" in compile(bytecode, "sm_80").ptx) == (kind != "f32")


def test_shapes_that_spill_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    asked = []

    def measure(texts: dict[str, str], targets: list[str], **_: object) -> list[figures.Row]:
        asked.append((list(texts), targets))
        spilling = replace(CODE, opcodes=OPCODES + Counter({"STL": 7}))
        return [
            figures.Row(name, target, spilling if "64x16x" in name else CODE, "")
            for name in texts
            for target in targets
        ]

    monkeypatch.setattr(figures, "measure", measure)
    monkeypatch.setattr(shapes, "nvidia_tool", Path)
    given = ["shapes", "--type", "f16", "--m", "32", "--m", "64", "--n", "16", "--target", "sm_90"]
    assert main(given) == 0
    assert asked == [(["f16 32x16x64", "f16 64x16x64"], ["sm_90"])]
    shown = capsys.readouterr().out
    assert "1 of 2 shapes spill" in shown
    assert "f16 64x16x64" in shown
    assert "f16 32x16x64" not in shown
    assert main([*given, "--all"]) == 0
    assert "f16 32x16x64" in capsys.readouterr().out


@pytest.mark.oracle
def test_a_kernel_becomes_a_row() -> None:
    """What ptxas says of registers and shared memory, it says in the cubin too."""
    if absent := [name for name in ("ptxas", "tileiras", "nvdisasm") if not nvidia_tool(name)]:
        pytest.skip(f"not installed: {', '.join(absent)}")
    kernels = {"gemm_batched": figures.SETS["workloads"]["gemm_batched"]}
    for row in figures.measure(kernels, ["sm_80", "sm_90"]):
        assert isinstance(row.ours, figures.Code)
        assert isinstance(row.theirs, figures.Code)
        plan = compile(figures.bytecode_of(kernels[row.kernel]), row.target).plan[row.kernel]
        assert row.ours.threads == plan["block"][0]
        assert row.ours.shared == plan["dynamic_shared_memory"]
        assert any("MMA." in name for name in row.ours.counted[0])
        assert row.ours.blocks >= 1
        assert row.ours.groups > 0 or any("UTMALDG" in name for name in row.ours.opcodes)
        assert row.theirs.shared > 0
