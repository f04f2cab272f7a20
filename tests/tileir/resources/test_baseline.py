"""The ratchet: what is worse than a baseline fails, what is better is told."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from tileir import PackageError
from tileir.resources import baseline
from tileir.resources.command import _document, _write_comparison
from tileir.resources.kernel_resources import KernelResources
from tileir.resources.occupancy import occupancy
from tileir.resources.report import as_json

KERNEL = KernelResources(
    kernel="matmul", entry="matmul", target="sm_90", compiler="tileir", registers=96, threads=256,
    static_shared=1024, dynamic_shared=32768, reserved_shared=1024, stack=0, spill_stores=0,
    spill_loads=0, barriers=1, mbarriers=0, code_bytes=4096, opcodes=None, instructions=None,
    main_loop=None, occupancy=occupancy("sm_90", 256, 96, 33792, 1),
)  # fmt: skip


def keyed(*kernels: KernelResources) -> dict[str, KernelResources]:
    """Kernels of a file, as a baseline has them."""
    return {baseline.key_of("a.tileirbc", kernel): kernel for kernel in kernels}


def kept(*kernels: KernelResources) -> baseline.Baseline:
    """A baseline that was written and read."""
    return baseline.from_bytes(baseline.to_bytes(keyed(*kernels), {"ptxas": "13.5.37"}))


def test_the_same_holds() -> None:
    found = baseline.compare(kept(KERNEL), keyed(KERNEL))
    assert (found.holds, found.changes, found.new, found.absent) == (True, (), (), ())
    assert kept(KERNEL).tools == {"ptxas": "13.5.37"}


@pytest.mark.parametrize("figure", [name for name in baseline.FIGURES if name != "resident_warps"])
def test_one_more_of_anything_is_worse_and_one_less_better(figure: str) -> None:
    field = "static_shared" if figure == "shared" else figure
    for step in (1, -1):
        now = replace(KERNEL, **{field: getattr(KERNEL, field) + step})
        found = baseline.compare(kept(KERNEL), keyed(now))
        (change,) = found.changes
        assert (change.figure, change.worse, found.holds) == (figure, step > 0, step < 0)


def test_more_resident_warps_are_better() -> None:
    fewer = replace(KERNEL, occupancy=occupancy("sm_90", 256, 255, 33792, 1))
    (change,) = baseline.compare(kept(KERNEL), keyed(fewer)).changes
    assert change.worse
    assert str(change) == "a.tileirbc: matmul sm_90: resident warps of an SM 16 -> 8 (-8)"
    assert not baseline.compare(kept(fewer), keyed(KERNEL)).changes[0].worse


def test_new_and_absent_kernels() -> None:
    """A new one is to be put into the baseline; one that nobody measured is no fault."""
    other = replace(KERNEL, target="sm_80")
    theirs = replace(KERNEL, compiler="tileiras", spill_stores=None, spill_loads=None)
    found = baseline.compare(kept(KERNEL, theirs), keyed(other))
    assert not found.holds
    assert found.new == ("a.tileirbc: matmul sm_80",)
    assert set(found.absent) == {"a.tileirbc: matmul sm_90", "a.tileirbc: matmul sm_90 tileiras"}


def test_what_only_one_of_them_knows_is_not_compared() -> None:
    unknown = replace(KERNEL, spill_stores=None, spill_loads=None, occupancy=None)
    assert baseline.compare(kept(KERNEL), keyed(unknown)).holds
    assert baseline.compare(kept(unknown), keyed(KERNEL)).holds


def test_the_file_is_sorted_and_stable() -> None:
    kernels = [replace(KERNEL, kernel=name) for name in ("b", "a", "ä")]
    data = baseline.to_bytes(keyed(*kernels), {})
    assert data == baseline.to_bytes(keyed(*reversed(kernels)), {})
    assert data.index(b": a sm_90") < data.index(b": b sm_90")
    assert data.endswith(b"}\n")


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"\xff", b"[" * 100_000, b'{"schema": 2, "tools": {}, "kernels": {}}',
        b'{"schema": 1, "kernels": {}}', b'{"schema": 1, "tools": {"a": 1}, "kernels": {}}',
        b'{"schema": 1, "tools": {}, "kernels": {"a sm_90": 3}}',
        b'{"schema": 1, "tools": {}, "kernels": {"a sm_90": {"registers": "3"}}}',
        b'{"schema": 1, "tools": {}, "kernels": {"a sm_90": {"registers": 1e999}}}',
    ],
)  # fmt: skip
def test_what_is_no_baseline(data: bytes) -> None:
    with pytest.raises(PackageError, match="it is no baseline"):
        baseline.from_bytes(data)


def test_kernels_that_were_not_measured_stay() -> None:
    """So one file of many can be put into a baseline, as a hook for a commit does."""
    other, slower = replace(KERNEL, target="sm_80"), replace(KERNEL, registers=128)
    both = baseline.from_bytes(baseline.to_bytes(keyed(slower), {}, kept(KERNEL, other)))
    first, second = (f"a.tileirbc: matmul {target}" for target in ("sm_90", "sm_80"))
    assert both.kernels[first]["registers"] == 128
    assert both.kernels[second] == kept(other).kernels[second]


def test_json_has_whole_names() -> None:
    name = "k" * 300 + "\x1b"
    made = as_json(replace(KERNEL, kernel=name, entry=name))
    assert made["kernel"] == made["entry"] == "k" * 300 + "\\x1b"
    compared = baseline.Comparison(
        (baseline.Change(name, "registers", 10, 12),), ("n" * 300,), ("a" * 300,)
    )
    told = _document({}, compared)["baseline"]
    assert told["worse"][0]["kernel"] == "k" * 300 + "\\x1b"
    assert (told["new"], told["absent"]) == (["n" * 300], ["a" * 300])


def test_a_change_of_a_long_name_says_its_figures() -> None:
    key = f"k.tileirbc: {'k' * 300} sm_90"
    compared = baseline.Comparison((baseline.Change(key, "registers", 10, 12),), ("n" * 300,), ())
    out = io.StringIO()
    _write_comparison(out, compared, baseline.Baseline({}, {}), [])
    worse, new, _ = out.getvalue().splitlines()
    assert worse == f"worse: {key}: registers of a thread 10 -> 12 (+2)"
    assert "n" * 300 in new
