"""How often opcodes occur in a listing, and their classes."""

from __future__ import annotations

import pytest

from tileir.resources.machine_code import CLASSES, class_of, functions, mix, opcodes

LISTING = """
\t.section\t.text.first,"ax",@progbits
.text.first:
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/              @!P0 LDG.E.128 R4, [R2.64] ;
        /*0020*/              @!UP0 UIADD3 UR4, UR5, URZ, URZ ;
        /*0030*/                   FADD R10, R7, 1 ;
        /*0040*/              @P1  BRA `(.L_x_1) ;
        /*0050*/                   NOP ;
        /*0060*/                   EXIT ;
.L_x_2:
        /*0070*/                   BRA `(.L_x_2);
        /*0080*/                   NOP;

\t.section\t.text._Z6secondv,"ax",@progbits
        /*0000*/                   STG.E.128 [R2.64], R12 ;
        /*0010*/                   EXIT ;
"""


def test_opcodes_are_counted_without_padding() -> None:
    """The branch that stops what runs past the end is no instruction of the kernel."""
    first, second = functions(LISTING).items()
    assert (first[0], second[0]) == ("first", "_Z6secondv")
    found = opcodes(first[1])
    assert found == {"S2R": 1, "LDG.E.128": 1, "UIADD3": 1, "FADD": 1, "BRA": 1, "EXIT": 1}
    assert opcodes(LISTING) == found + opcodes(second[1])
    assert opcodes("") == {}


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("tensor cores", "HMMA.16816.F32 HGMMA.64x128x16.F32 UTCHMMA UTCMXQMMA IMMA DMMA OMMA"),
        ("float", "FADD FFMA2 HFMA2.MMA DSETP.GT.AND MUFU.EX2 FMNMX FSEL FCHK FRND.FLOOR"),
        ("integer", "IMAD.MOV.U32 IADD3.X UIADD3.64 LOP3.LUT ULOP3.LUT VIMNMX3.U32 PRMT SHF.L.U32"),
        ("conversion", "F2FP.F16.F32.PACK_AB I2FP.F32.S32 F2F.F64.F32 UI2FP I2F F2I"),
        ("move", "MOV UMOV S2R S2UR CS2R R2UR SEL P2R USETMAXREG.DEALLOC.CTAPOOL MOVM"),
        ("global memory", "LDG.E.128 STG.E LDGSTS.E.BYPASS.128 ATOMG.E.ADD RED.E.ADD CCTL LD.E"),
        ("bulk copies", "UTMALDG.2D UTMASTG.3D UTMACMDFLUSH UBLKCP"),
        ("shared memory", "LDS.128 STS LDSM.16.M88.4 STSM.16.M88.4 ATOMS.ADD"),
        ("tensor memory", "LDTM.x32 STTM.x8 UTCATOMSWS UTCCP"),
        ("local memory", "LDL.64 STL"),
        ("constant memory", "LDC LDCU.64 ULDC.64"),
        ("exchange", "SHFL.BFLY VOTE.ANY VOTEU.ALL REDUX.SUM ELECT MATCH"),
        ("synchronisation", "BAR.SYNC.DEFER_BLOCKING SYNCS.EXCH.64 WARPGROUP.ARRIVE DEPBAR.LE"),
        ("control", "BRA EXIT BSSY BSYNC CALL.REL.NOINC RET.REL.NODEC BREAK"),
        ("other", "SOMETHING NEW.E"),
    ],
)
def test_classes(group: str, names: str) -> None:
    assert {class_of(name) for name in names.split()} == {group}


def test_the_mix_has_all_classes_and_loses_nothing() -> None:
    found = mix(opcodes(LISTING))
    assert list(found) == list(CLASSES)
    assert sum(found.values()) == opcodes(LISTING).total() == 8
    assert (found["global memory"], found["control"], found["other"]) == (2, 3, 0)
