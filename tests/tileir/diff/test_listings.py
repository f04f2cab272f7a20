"""PTX, machine code, LLVM IR and stages: numbers of registers and labels do not count."""

from __future__ import annotations

import pytest

from tileir.diff.compiled import is_ptx
from tileir.diff.listings import LLVM, PTX, SASS, STAGE, Language, compare_listings
from tileir.diff.report import stat_of_listings
from tileir.diff.unified import unified_listing

TEXTS = {
    PTX: """\
.visible .entry f(.param .u64 f_0) {
	.reg .b32 	%r<9>;
	ld.param.b64 	%rd1, [f_0];
	mov.u32 	%r1, %tid.x;
	setp.gt.s32 	%p1, %r1, 7;
	@%p1 bra 	$L__BB0_2;
	add.s32 	%r2, %r1, 1;
	mul.lo.s32 	%r3, %r2, %r1;
	st.global.b32 	[%rd1], %r3;
$L__BB0_2:
	ret;
}
""",
    SASS: """\
.text.f:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R5, SR_TID.X ;
        /*0020*/                   ISETP.GT.AND P1, PT, R5, 0x7, PT ;
        /*0030*/               @P1 BRA `(.L_x_4) ;
        /*0040*/                   SHFL.BFLY PT, R2, R5, 0x2, 0x1f ;
        /*0050*/                   IADD3 R3, R2.reuse, R5, RZ ;
        /*0060*/                   STG.E [R6.64], R3 ;
.L_x_4:
        /*0070*/                   EXIT ;
""",
    LLVM: """\
define void @f(ptr %p, i32 %n) {
entry:
  %a = add i32 %n, 1, !dbg !4
  %b = mul i32 %a, %n
  store i32 %b, ptr %p
  ret void
}
""",
    STAGE: """\
// #l0 = layout<64: register 1>
entry @f(%arg0: tile<f32>) {
  %0 = addf %arg0, %arg0 : frag<64xf32, #l0>
  %1 = mulf %0, %arg0 : frag<64xf32, #l0>
  return
}
""",
}
RENUMBERED = {
    PTX: [("%r<9>", "%r<19>"), ("%r3", "%r13"), ("%r2", "%r3"), ("__BB0_2", "__BB0_17")],
    SASS: [("R3", "R13"), ("R2.reuse", "R9"), ("R2,", "R9,"), ("L_x_4", "L_x_9"), ("/*00", "/*01")],
    LLVM: [("%a", "%a.1"), ("!4", "!7")],
    STAGE: [("%0", "%7"), ("#l0", "#l3")],
}
OTHER_OP = {
    PTX: ("mul.lo.s32", "sub.s32"),
    SASS: ("IADD3", "IMAD"),
    LLVM: ("mul", "sub"),
    STAGE: ("mulf", "subf"),
}
OTHER_VALUE = {
    PTX: ("%r2, %r1;", "%r1, %r2;"),
    SASS: ("R2.reuse, R5,", "R5, R2,"),
    LLVM: ("%a, %n", "%n, %a"),
    STAGE: ("mulf %0, %arg0", "mulf %arg0, %0"),
}

languages = pytest.mark.parametrize("language", TEXTS, ids=lambda language: language.name)


@languages
def test_numbers_do_not_count(language: Language) -> None:
    text = other = TEXTS[language]
    for before, after in RENUMBERED[language]:
        assert before in other
        other = other.replace(before, after)
    assert not compare_listings(text, other, language)
    assert not compare_listings(text, text, language)


@languages
def test_another_op_is_one_line(language: Language) -> None:
    text = TEXTS[language]
    before, after = OTHER_OP[language]
    difference = compare_listings(text, text.replace(before, after), language)
    lines = [line for line in unified_listing(difference, 0) if line[0] in "-+"][2:]
    assert [before in lines[0], after in lines[1]] == [True, True]
    counts = list(stat_of_listings(difference))
    assert len(counts) == 4
    assert counts[-2].endswith("+0")
    assert counts[-1].startswith(" lines: 1 deleted, 1 inserted")


def test_parameters_are_the_same_under_another_head() -> None:
    text = TEXTS[STAGE]
    other = text.replace("tile<f32>) {", "tile<f32>) optimization_hints=<default = {}> {")
    text = text.replace("tile<f32>) {", "tile<f32>) optimization_hints=<sm_90 = {}> {")
    difference = compare_listings(text, other, STAGE)
    assert [line[0] for line in unified_listing(difference, 0)] == list("-+@-+")
    assert [*stat_of_listings(difference)][-1] == " lines: 1 deleted, 1 inserted, in @f"
    swapped = other.replace("mulf %0, %arg0", "mulf %arg0, %0")
    assert "! " in "\n".join(unified_listing(compare_listings(text, swapped, STAGE), 0))


@languages
def test_other_values_are_noticed(language: Language) -> None:
    """Registers of the same names in the places of others; what reads the result is the same."""
    text = TEXTS[language]
    before, after = OTHER_VALUE[language]
    difference = compare_listings(text, text.replace(before, after), language)
    notes = [line for line in unified_listing(difference, 0) if line.startswith("!")]
    assert len(notes) == 1
    assert "other values" in notes[0]


def test_lines_have_their_block_and_number() -> None:
    text = TEXTS[PTX]
    other = text.replace("\tret;", "\tbar.sync 0;\n\tret;")
    assert list(unified_listing(compare_listings(text, other, PTX), 1)) == [
        "--- a  (PTX)",
        "+++ b  (PTX)",
        "@@ -10,2 +10,3 @@ f $L__BB0_2",
        " $L__BB0_2:",
        "+\tbar.sync 0;",
        " \tret;",
    ]


def test_long_listings_of_equal_lines() -> None:
    before, after = "\tbar.sync 0;\n" * 3000, "\tbar.sync 0;\n" * 2999
    rows = [e for e in compare_listings(before, after, PTX).entries if e.after is None]
    assert len(rows) == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (" " * 200_000 + "x", PTX),
        ("define " + "a" * 200_000, LLVM),
        ("/*" * 100_000, SASS),
    ],
)
def test_lines_that_would_take_hours_if_each_place_in_them_was_a_beginning(
    text: str, language: Language
) -> None:
    assert not compare_listings(text, text, language)
    assert compare_listings(text, "", language)


def test_a_file_of_empty_lines_is_no_ptx() -> None:
    """It is told at once, not from each line on anew."""
    assert not is_ptx(b"\n" * 65_536)
    assert is_ptx(b"\n" * 60_000 + b" \t.version 8.0")
