"""What a kernel prints, and how it says that an assertion failed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.codegen.emulator.snippets import run
from tileir.codegen.emulator import EmulationError

TEXT = "i=%d u=%5u x=%#x l=%lld f=%.2f e=%e c=%c s=<%s> %%\n"


def bytes_of(text: str) -> str:
    data = text.encode() + b"\0"
    return f"[{len(data)}] = {{{', '.join(map(str, data))}}}"


BEFORE = (
    ".extern .func (.param .b32 out) vprintf (.param .b64 a, .param .b64 b);\n"
    f".global .align 1 .b8 text{bytes_of(TEXT)};\n.global .align 1 .b8 word{bytes_of('hé')};\n"
    f".global .align 1 .b8 file{bytes_of('here.py')};\n"
)
CALL = (
    "{ .param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\n"
    "st.param.b64 [param0], %d20;\nst.param.b64 [param1], %d6;\n"
    "call.uni (retval0), vprintf, (param0, param1);\nld.param.b32 %r9, [retval0];\n}\n"
)
PRINT = (
    ".local .align 8 .b8 own[64];\nmov.b64 %d5, own;\ncvta.local.u64 %d6, %d5;\n"
    "sub.s32 %r4, 0, %r0;\nst.local.b32 [%d5], %r4;\nst.local.b32 [%d5+4], %r0;\n"
    "st.local.b32 [%d5+8], 255;\nst.local.b64 [%d5+16], 1099511627776;\n"
    "st.local.b64 [%d5+24], 0d3FF8000000000000;\nst.local.b64 [%d5+32], 0d4059000000000000;\n"
    "st.local.b32 [%d5+40], 65;\nmov.b64 %d7, word;\nst.local.b64 [%d5+48], %d7;\n"
    "mov.b64 %d20, text;\ncvta.global.u64 %d20, %d20;\n"
)


def test_printing(capsys: pytest.CaptureFixture) -> None:
    found = run(PRINT + CALL, np.zeros(1), threads=3, before=BEFORE)
    expected = [
        TEXT.replace("%lld", "%d") % (-k, k, 255, 1 << 40, 1.5, 100.0, chr(65), "hé")
        for k in range(3)
    ]
    assert found.output == "".join(expected)
    assert capsys.readouterr().out == found.output


def test_only_lanes_that_get_there_print() -> None:
    guard = "setp.ne.u32 %p1, %r0, 2;\n@%p1 bra J;\n"
    found = run(PRINT + guard + CALL + "J:\n", np.zeros(1), threads=40, before=BEFORE)
    assert found.output.startswith("i=-2 u=    2")
    assert found.output.count("\n") == 1


def test_an_argument_that_was_not_stored() -> None:
    with pytest.raises(EmulationError) as caught:
        run(PRINT.replace("st.local.b32 [%d5+4], %r0;\n", "") + CALL, np.zeros(1), before=BEFORE)
    assert caught.value.kind == "poison"


def test_a_trap_tells_what_was_printed(capsys: pytest.CaptureFixture) -> None:
    body = PRINT + CALL + "setp.eq.u32 %p1, %r0, 2;\n@%p1 trap;"
    with pytest.raises(EmulationError) as caught:
        run(body, np.zeros(1), threads=3, before=BEFORE)
    assert (caught.value.kind, caught.value.threads) == ("trap", (2,))
    assert caught.value.output.count("\n") == 3
    assert capsys.readouterr().out == caught.value.output


def test_a_failed_assertion() -> None:
    body = (
        "mov.b64 %d20, word;\nmov.b64 %d21, file;\nsetp.ne.u32 %p1, %r0, 5;\n@%p1 bra J;\n"
        "{ .param .b64 param0;\n.param .b64 param1;\n.param .b32 param2;\n.param .b64 param3;\n"
        ".param .b64 param4;\nst.param.b64 [param0], %d20;\nst.param.b64 [param1], %d21;\n"
        "st.param.b32 [param2], 17;\nst.param.b64 [param3], %d20;\nst.param.b64 [param4], 1;\n"
        "call.uni __assertfail, (param0, param1, param2, param3, param4);\n}\nJ:\n"
    )
    with pytest.raises(EmulationError) as caught:
        run(body, np.zeros(1), before=BEFORE)
    assert (caught.value.kind, caught.value.threads) == ("assert", (5,))
    assert "here.py:17: hé: assertion failed: hé" in str(caught.value)


def test_other_functions_are_unknown() -> None:
    with pytest.raises(EmulationError, match="no function realloc"):
        run("call.uni realloc;", np.zeros(1))


HEAP = (
    ".extern .func (.param .b64 out) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n"
)
MALLOC = (
    "{ .param .b64 param0;\n.param .b64 retval0;\nst.param.b64 [param0], SIZE;\n"
    "call.uni (retval0), malloc, (param0);\nld.param.b64 %d20, [retval0];\n}\n"
)
FREE = "{ .param .b64 param0;\nst.param.b64 [param0], %d20;\ncall.uni free, (param0);\n}\n"


def test_each_thread_has_its_own_of_the_heap() -> None:
    found = np.zeros(3, "u8")
    body = (
        MALLOC.replace("SIZE", "24") + "st.global.b64 [%d20+16], %d20;\n"
        "ld.global.b64 %d21, [%d20+16];\nmul.wide.u32 %d5, %r0, 8;\nadd.s64 %d5, %d0, %d5;\n"
        "st.global.b64 [%d5], %d21;\n" + FREE
    )
    run(body, found, threads=3, before=HEAP)
    assert len(set(found)) == 3
    assert not (found % 16).any()


@pytest.mark.parametrize(
    ("size", "body", "told"),
    [
        (24, FREE + FREE, "malloc gave nothing"),
        (24, "", "malloc without free"),
        (1 << 40, "st.global.b64 [%d20], 0;\n", "write of 8 bytes at global address 0x0"),
    ],
)
def test_the_heap_is_watched(size: int, body: str, told: str) -> None:
    with pytest.raises(EmulationError, match=told):
        run(MALLOC.replace("SIZE", str(size)) + body, np.zeros(1), threads=1, before=HEAP)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("mov.b64 %d20, 64;\n" + FREE, "heap: free of 0x40, where malloc gave nothing"),
        ("call.uni malloc;", "syntax: malloc takes 1 arguments or more"),
        ("call.uni free, (never);", "poison: no value for parameter never"),
        ("ld.param.b64 %d20, [never];", "unknown: no result of a call in never"),
        ("call.uni (retval0);", "unknown: no function"),
    ],
)
def test_calls_of_foreign_ptx(body: str, told: str) -> None:
    with pytest.raises(EmulationError, match=re.escape(told)):
        run(body, np.zeros(1), threads=1, before=HEAP)
