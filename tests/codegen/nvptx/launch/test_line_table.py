"""Line information: the PTX with it is the same code, and its lines are those of the source."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.compiled import compiled
from tests.corpus import FIXTURES
from tileir.codegen import compile, emulator
from tileir.codegen.nvptx.launch.line_table import MOST_CALLS

SCOPES = """\
#file = #cuda_tile.di_file<"k.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<compileUnit = #unit, file = #file, line = 2, name = "k",
                              linkageName = "k">
#helper = #cuda_tile.di_subprogram<compileUnit = #unit, file = #file, line = 20, name = "helper",
                                   linkageName = "helper">
#inner = #cuda_tile.di_subprogram<compileUnit = #unit, file = #file, line = 30, name = "inner",
                                  linkageName = "inner">
#at5 = #cuda_tile.di_loc<loc("/src/k.py":5:1) in #k>
#at6 = #cuda_tile.di_loc<loc("/src/k.py":6:1) in #k>
#at21 = #cuda_tile.di_loc<loc("/src/k.py":21:1) in #helper>
#at31 = #cuda_tile.di_loc<loc("/src/h.py":31:1) in #inner>
"""


def body(*locations: str) -> str:
    """Stores to one address after the other, each from a place of its own."""
    lines = ["entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {"]
    for number, location in enumerate(locations):
        lines.append(f"  %c{number} = constant <i32: {number}> : tile<i32> loc({location})")
        lines.append(
            f"  %q{number} = offset %p, %c{number} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>"
            f" loc({location})"
        )
        lines.append(
            f"  %t{number} = store_ptr_tko weak %q{number}, %n : tile<ptr<i32>>, tile<i32>"
            f" -> token loc({location})"
        )
    return "\n".join([*lines, "  return loc(#at5)", "} loc(#at5)"])


def ptx_of(*locations: str, target: str = "sm_90", scopes: str = SCOPES) -> str:
    return compile(tileir.assemble(scopes + body(*locations)), target, lineinfo=True).ptx


def positions(ptx: str) -> list[str]:
    """What the directives say, in order, without repetitions."""
    found = re.findall(r"^\t\.loc\t(.*)$", ptx, re.MULTILINE)
    return [each for number, each in enumerate(found) if number == 0 or each != found[number - 1]]


def without_positions(ptx: str) -> str:
    ptx = re.sub(r"^\t\.(?:loc|file)\t.*\n", "", ptx, flags=re.MULTILINE)
    return re.sub(r"\t\.section\t\.debug_str\n\t\{\n.*?\t\}\n", "", ptx, flags=re.DOTALL)


@pytest.mark.parametrize("name", ["debug_scopes", "helper_calls", "softmax", "two_entries"])
def test_the_code_is_the_same(name: str) -> None:
    module = (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()
    located = tileir.compile(module, "sm_90", lineinfo=True).ptx
    assert ".loc" in located
    assert without_positions(located) == compiled(name).ptx
    assert tileir.compile(module, "sm_90", lineinfo=True).ptx == located


def test_without_positions_nothing_is_said_but_a_warning() -> None:
    module = (FIXTURES / "13.4" / "no_debug.tileirbc").read_bytes()
    with pytest.warns(RuntimeWarning, match="nothing in the module says where in source"):
        ptx = tileir.compile(module, "sm_90", lineinfo=True).ptx
    assert ptx == compiled("no_debug").ptx


def test_calls_that_were_inlined() -> None:
    call = "callsite(#at21 at #at5)"
    ptx = ptx_of("#at6", call, f"callsite(#at31 at {call})")
    assert positions(ptx) == [
        "1 2 0",
        "1 6 1",
        "1 5 1",
        "1 21 1, function_name $L__function0, inlined_at 1 5 1",
        "2 31 1, function_name $L__function1, inlined_at 1 21 1",
        "1 2 0",
    ]
    assert '\t.file\t1 "/src/k.py"\n\t.file\t2 "/src/h.py"\n' in ptx
    assert f"$L__function1:\n.b8 {','.join(str(n) for n in b'inner')},0\n" in ptx


def test_one_helper_called_from_two_places() -> None:
    """A directive names its caller by place alone, so a place with another caller is said again."""
    first, second = "callsite(#at21 at #at5)", "callsite(#at21 at #at6)"
    found = positions(ptx_of(f"callsite(#at31 at {first})", f"callsite(#at31 at {second})", first))
    helper = "1 21 1, function_name $L__function0, inlined_at 1"
    inner = "2 31 1, function_name $L__function1, inlined_at 1 21 1"
    assert found == [
        "1 2 0", "1 5 1", f"{helper} 5 1", inner, "1 6 1", f"{helper} 6 1", inner,
        f"{helper} 5 1", "1 2 0",
    ]  # fmt: skip


def test_older_targets_get_the_ptx_that_has_calls() -> None:
    assert ".version 7.0\n" in ptx_of("#at5", target="sm_80")
    assert ".version 7.2\n" in ptx_of("callsite(#at21 at #at5)", target="sm_80")


def test_unknown_parts_of_a_call_are_left_out() -> None:
    scopes = SCOPES + '#at0 = #cuda_tile.di_loc<loc("/src/k.py":0:0) in #k>\n'
    call = "callsite(#at31 at callsite(#at0 at #at6))"
    found = positions(ptx_of("#at0", call, scopes=scopes))
    assert found == [
        "1 2 0", "1 6 1", "2 31 1, function_name $L__function0, inlined_at 1 6 1", "1 2 0",
    ]  # fmt: skip


def nested(depth: int) -> str:
    """Calls in calls, as aliases: each is defined by the one before."""
    lines = ["#call0 = loc(callsite(#at21 at #at5))"]
    lines += [f"#call{n} = loc(callsite(#at31 at #call{n - 1}))" for n in range(1, depth)]
    return SCOPES + "\n".join(lines) + "\n"


def test_calls_in_calls_are_told_up_to_a_depth() -> None:
    found = positions(ptx_of("#call999", scopes=nested(1000)))
    assert len(found) < MOST_CALLS + 8


def test_parts_that_are_shared_cost_nothing() -> None:
    """Each call is one of the same into the same: written out, there are 2^60 steps."""
    lines = ["#call0 = loc(callsite(#at21 at #at5))"]
    lines += [f"#call{n} = loc(callsite(#call{n - 1} at #call{n - 1}))" for n in range(1, 60)]
    ptx = ptx_of("#call59", scopes=SCOPES + "\n".join(lines) + "\n")
    assert len(positions(ptx)) < 2 * MOST_CALLS


ODD = [
    ('"/src/\\22q\\22.py":5:1', "/src/%22q%22.py"),
    ('"C:\\5Ca b\\5Ck.py":5:1', "C:/a b/k.py"),
    ('"/src/\\C3\\A9\\FF\\0A.py":5:1', "/src/%C3%A9%FF%0A.py"),
    ('"":5:1', "<unknown>"),
    (f'"/{"long" * 4000}":5:1', "long" * 1024),
    ('"/src/k.py":4294967295:1', None),
    ('"/src/k.py":5:4294967295', "/src/k.py"),
]


@pytest.mark.parametrize(("place", "file"), ODD, ids=range(len(ODD)))
def test_ptxas_reads_any_name_and_number(place: str, file: str | None, tool, tmp_path) -> None:
    scopes = f"{SCOPES}#odd = #cuda_tile.di_loc<loc({place}) in #k>\n"
    scopes += f"#inlined = #cuda_tile.di_loc<loc({place}) in #inner>\n"
    ptx = ptx_of("#at5", "#odd", "callsite(#inlined at #at6)", scopes=scopes)
    assert file is None or f'"{file}"\n' in ptx
    assemble(tool, ptx, tmp_path)


def assemble(tool, ptx: str, folder: Path, target: str = "sm_90") -> Path:
    (folder / "k.ptx").write_text(ptx)
    done = tool("ptxas", "-lineinfo", f"-arch={target}", "-o", folder / "k.o", folder / "k.ptx")
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    return folder / "k.o"


def lines_of(tool, cubin: Path) -> set[str]:
    """The lines that the machine code comes from, and where each was inlined."""
    done = tool("nvdisasm", "-gi", "-c", cubin)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"//## (File .*)", done.stdout.decode()))


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "target"), [("debug_scopes", "sm_90"), ("helper_calls", "sm_80")])
def test_the_lines_are_those_of_tileiras(tool, tmp_path: Path, name: str, target: str) -> None:
    """All that its machine code has ours has too, but the line where some value began."""
    path = FIXTURES / "13.4" / f"{name}.tileirbc"
    located = tileir.compile(path.read_bytes(), target, lineinfo=True)
    ours = lines_of(tool, assemble(tool, located.ptx, tmp_path, target))
    done = tool("tileiras", f"--gpu-name={target}", "--lineinfo", "-o", tmp_path / "t.o", path)
    assert done.returncode == 0, done.stderr
    theirs = lines_of(tool, tmp_path / "t.o")
    assert ours <= theirs
    assert len(theirs - ours) <= 1
    inlined = {line for line in theirs if "inlined at" in line}
    assert inlined <= ours
    assert len(inlined) >= 2


@pytest.mark.oracle
def test_two_call_sites_stay_apart(tool, tmp_path: Path) -> None:
    first, second = "callsite(#at21 at #at5)", "callsite(#at21 at #at6)"
    ptx = ptx_of(f"callsite(#at31 at {first})", "#at6", f"callsite(#at31 at {second})")
    found = lines_of(tool, assemble(tool, ptx, tmp_path))
    for line in (5, 6):
        assert f'File "/src/k.py", line 21 inlined at "/src/k.py", line {line}' in found
    assert 'File "/src/h.py", line 31 inlined at "/src/k.py", line 21' in found


def test_it_still_runs() -> None:
    memory = np.zeros(3, np.int32)
    module: Any = tileir.assemble(SCOPES + body("#at5", "callsite(#at21 at #at6)", "#at6"))
    kernels = compile(module, "sm_90", lineinfo=True)
    emulator.launch(kernels.ptx, kernels.plan["k"], 1, [memory, 7])
    assert memory.tolist() == [7, 7, 7]
