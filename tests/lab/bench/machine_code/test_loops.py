"""Which loops a listing has, by its branches alone."""

from __future__ import annotations

import pytest

from . import loops, sass

NESTED = """
\t.section\t.text.kernel,"ax",@progbits
.L_x_0:
        /*0000*/                   LDG.E.128 R4, [R2.64] ;
.L_x_1:
        /*0010*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*0020*/              @!P0 BRA `(.L_x_2) ;
        /*0030*/                   FADD R10, R7, 1 ;
.L_x_2:
        /*0040*/               @P1 BRA `(.L_x_1) ;
        /*0050*/               @P2 BRA `(.L_x_0) ;
        /*0060*/                   STG.E [R2.64], R12 ;
        /*0070*/                   EXIT ;
.L_x_3:
        /*0080*/                   BRA `(.L_x_3);
"""


def test_only_the_innermost_loop_counts_with_all_its_blocks() -> None:
    assert loops.innermost(NESTED) == [{"HMMA.16816.F32": 1, "FADD": 1, "BRA": 2}]


def test_the_main_loop_is_the_innermost_one_that_multiplies_most() -> None:
    """Of two as good ones the shorter one; what is around it, and what only waits, is no part."""
    other = """
.L_x_4:
        /*0090*/                   HMMA.16816.F32 R4, R8, R10, R4 ;
        /*00a0*/               @P1 BRA `(.L_x_4) ;
"""
    listing = NESTED.replace(".L_x_3:", f"{other}.L_x_3:")
    assert loops.main_loop(NESTED) == {"HMMA.16816.F32": 1, "FADD": 1, "BRA": 2}
    assert loops.main_loop(listing.replace("EXIT ;", "NOP ;")) == {"HMMA.16816.F32": 1, "BRA": 1}
    assert loops.main_loop(NESTED.replace("HMMA", "HFMA2")) == {}


@pytest.mark.parametrize(
    ("opcode", "multiplies"),
    [
        ("HMMA.16816.F32", True), ("IMMA.16832.S8.S8", True), ("DMMA.884", True),
        ("HGMMA.64x128x16.F32", True), ("QGMMA.64x128x32.F32.E4M3.E4M3", True),
        ("IGMMA.64x128x32.S8.S8", True), ("QMMA.SF.16832.F32", True), ("OMMA.SF.16864.F32", True),
        ("UTCHMMA", True), ("UTCHMMA.2CTA", True), ("UTCQMMA", True), ("UTCIMMA", True),
        ("UTCOMMA.4X", True), ("UTCMXQMMA", True), ("UTCBAR", False), ("UTCATOMSWS", False),
        ("HFMA2.MMA", False), ("WARPGROUP.DEPBAR.LE", False), ("FFMA", False),
    ],
)  # fmt: skip
def test_opcodes_that_multiply_matrices(opcode: str, multiplies: bool) -> None:
    assert sass.products({opcode: 3}) == 3 * multiplies


@pytest.mark.parametrize(
    "branch", ["@P0 BRA `(.L_x_9)", "BRA.U UP0, `(.L_x_9)", "BRA P0, `(.L_x_9)"]
)
def test_code_behind_the_end_that_comes_back_is_no_loop(branch: str) -> None:
    listing = f"""
        /*0000*/                   {branch} ;
.L_x_8:
        /*0010*/                   FADD R10, R7, 1 ;
        /*0020*/                   EXIT ;
.L_x_9:
        /*0030*/                   FMUL R10, R7, 2 ;
        /*0040*/                   BRA `(.L_x_8) ;
"""
    assert loops.innermost(listing) == []


def test_waits_say_how_many_products_stay_under_way() -> None:
    wait = "WARPGROUP.DEPBAR.LE gsb0, 0x0 ;"
    named = {"WARPGROUP.DEPBAR.LE": 1, "HMMA.16816.F32": 1, "FADD": 1, "BRA": 2}
    listing = NESTED.replace("HMMA", f"{wait}\n        /*0008*/                   HMMA", 1)
    assert loops.main_loop(listing) == named
    del named["WARPGROUP.DEPBAR.LE"]
    named["WARPGROUP.DEPBAR.LE.1"] = 1
    assert loops.main_loop(listing.replace("0x0 ;", "0x1 ;", 1)) == named


@pytest.mark.parametrize("form", ["", ".RECONVERGENT"])
def test_a_loop_goes_on_where_its_threads_meet_again(form: str) -> None:
    listing = f"""
.L_x_0:
        /*0000*/                   BSSY{form} B0, `(.L_x_2) ;
        /*0010*/               @P0 BRA `(.L_x_1) ;
        /*0020*/                   FADD R10, R7, 1 ;
.L_x_1:
        /*0030*/                   BSYNC{form} B0 ;
.L_x_3:
        /*0040*/                   EXIT ;
.L_x_2:
        /*0050*/                   BRA.DIV UR4, `(.L_x_3) ;
        /*0060*/               @P1 BRA `(.L_x_0) ;
        /*0070*/                   EXIT ;
"""
    (found,) = loops.innermost(listing)
    assert found.total() == 6
    assert "EXIT" not in found


def test_what_only_waits_is_no_loop_and_hides_none() -> None:
    listing = """
.L_x_0:
        /*0000*/                   LDS R4, [R2] ;
.L_x_1:
        /*0010*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x10000], R2 ;
        /*0020*/              @!P0 BRA `(.L_x_1) ;
        /*0030*/               @P1 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
"""
    (found,) = loops.innermost(listing)
    assert (found["LDS"], found["BRA"]) == (1, 2)


def test_loops_of_every_function_and_behind_tables_of_branches_count() -> None:
    table = NESTED.replace("EXIT ;\n.L_x_3", 'BRX R4 -0xb0 (*"BRANCH_TARGETS .L_x_3"*);\n.L_x_3')
    assert len(loops.innermost(NESTED + NESTED)) == 2
    assert len(loops.innermost(table)) == 1
    called = NESTED.replace(".L_x_3:", ".L_x_3:\n        /*0078*/  FADD R1, R2, R3 ;")
    assert [loop.total() for loop in loops.innermost(called)] == [4, 2]


def test_work_is_products_or_else_bytes() -> None:
    (loop,) = loops.innermost(NESTED)
    assert loops.work(loop) == 1
    moved = {"LDG.E.128": 2, "STG.E.U16": 1, "LDG.E": 1, "LDGSTS.E.BYPASS.128": 1, "LDS.128": 5}
    assert loops.work(loops.Counter(moved)) == 32 + 2 + 4 + 16
