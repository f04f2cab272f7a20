"""What is read off listings of machine code, and that ours stands beside tileiras'."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.lab.bench import problems
from tests.lab.bench.__main__ import main
from tileir import assemble
from tileir.codegen import compile
from tileir.resources.machine_code import opcodes

from . import main_loops, sass, static

LISTING = """
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/              @!P0 LDG.E.128 R4, [R2.64] ;
        /*0020*/                   LDG.E.64 R8, [R2.64+0x10] ;
        /*0030*/                   LDG.E R12, desc[UR4][R2.64+0x20] ;
        /*0040*/                   FADD R10, R7, 1 ;
        /*0050*/                   LDG.E R13, [R2.64+0x30] ;
        /*0060*/                   STG.E.128 [R2.64], R12 ;
        /*0070*/              @P1  BRA `(.L_x_1) ;
        /*0080*/                   EXIT ;
.L_x_2:
        /*0090*/                   BRA `(.L_x_2);
        /*00a0*/                   NOP;
"""


def test_a_load_is_in_flight_until_its_registers_are_touched() -> None:
    """R7 is of the first load, R12 and R13 are of the last two: the second is never used."""
    assert sass.loads_in_flight(LISTING) == 3
    again = LISTING.replace("FADD R10, R7, 1", "FADD R10, R3, 1")
    assert sass.loads_in_flight(again) == 4
    address = LISTING.replace("[R2.64+0x20]", "[R6.64+0x20]")
    assert sass.loads_in_flight(address) == 2 + 1


def test_every_kernel_has_a_problem_that_runs() -> None:
    for name in ("vector_add", "row_sum"):
        text = (static.SOURCES / f"{name}.mlir").read_text()
        count = problems.executed(name, compile(assemble(text), "sm_80"))
        assert 2 < count < 40


@pytest.mark.oracle
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", static.KERNELS)
def test_ours_stands_beside_tileiras(tool, tmp_path: Path, name: str) -> None:
    """No more instructions, no fewer loads in flight, no local memory, accesses of 128 bits."""
    bytecode = assemble((static.SOURCES / f"{name}.mlir").read_text())
    (tmp_path / "source.ptx").write_text(compile(bytecode, "sm_80").ptx)
    (tmp_path / "source.bc").write_bytes(bytecode.build())
    listings = []
    for assembler, flag, kind, *verbose in (
        ("ptxas", "-arch", "ptx", "-v"), ("tileiras", "--gpu-name", "bc"),
    ):  # fmt: skip
        cubin = tmp_path / f"{kind}.cubin"
        done = tool(assembler, f"{flag}=sm_80", *verbose, "-o", cubin, tmp_path / f"source.{kind}")
        assert done.returncode == 0, done.stderr
        if verbose:
            said = (done.stdout + done.stderr).decode()
            assert f"Used {sass.registers(cubin.read_bytes())} registers" in said
        listings.append(tool("nvdisasm", "-c", cubin).stdout.decode())
    ours, theirs = listings
    found = opcodes(ours)
    assert found.total() <= opcodes(theirs).total()
    assert sass.loads_in_flight(ours) >= sass.loads_in_flight(theirs)
    assert not any(opcode.startswith(("LDL", "STL")) for opcode in found)
    single = {opcode for opcode in found if opcode in ("LDG.E", "STG.E")}
    assert single == ({"LDG.E"} if name == "gather" else set())


def code(scale: int) -> static.Code:
    """A kernel as large as any."""
    opcodes = Counter({
        "LDG.E.128": 16 * scale, "STG.E.128": 16 * scale, "LDS": 99, "SHFL": 99, "BAR": 20, "STL": 9
    })  # fmt: skip
    return static.Code(opcodes, 16, 255, 18.5, 1234.0)


def test_tables_fit_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    asked = []

    def measure(names: list[str], targets: list[str], *repeat: int) -> list:
        asked.append((names, targets, *repeat))
        return [static.Pair(name, target, code(6), code(5)) for name in names for target in targets]

    def loops(names: list[str], targets: list[str]) -> list:
        loop = main_loops.Loop(code(60).opcodes, 10, 255, 227 << 10)
        return [main_loops.Pair(name, target, loop, loop) for name in names for target in targets]

    monkeypatch.setattr(static, "missing", list)
    monkeypatch.setattr(static, "measure", measure)
    monkeypatch.setattr(main_loops, "measure", loops)
    assert main(["static", "--target", "sm_100"]) == 0
    shown = capsys.readouterr().out
    assert asked == [(list(static.KERNELS), ["sm_100"], 5)]
    assert max(map(len, shown.splitlines())) <= 120
    assert "\u2026" not in shown, "something was cut"
    for text in ("cumulative_sum", "matmul_f16", "96 of 96 / 80 of 80", "1234 / 1234 = 1.00"):
        assert text in shown
    assert main(["static", "--only", "softmax", "--only", "copy", "--repeat", "1", "--json"]) == 0
    assert asked[1:] == [(["copy", "softmax"], ("sm_80", "sm_90"), 1)]
    pairs = json.loads(capsys.readouterr().out)
    assert [(pair["kernel"], pair["target"]) for pair in pairs] == [
        ("copy", "sm_80"), ("copy", "sm_90"), ("softmax", "sm_80"), ("softmax", "sm_90"),
    ]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("name", main_loops.KERNELS)
def test_our_main_loops_stand_beside_tileiras(tmp_path: Path, name: str) -> None:
    """No spills, one barrier, and of all instructions a larger part multiplies."""
    if absent := static.missing():
        pytest.skip(f"not installed: {', '.join(absent)}")
    pair = main_loops.pair(name, "sm_80", tmp_path)
    shares = [
        sass.products(loop.opcodes) / loop.opcodes.total() for loop in (pair.ours, pair.theirs)
    ]
    assert shares[0] >= shares[1]
    assert pair.ours.local == 0
    assert pair.ours.count("BAR") == 1
