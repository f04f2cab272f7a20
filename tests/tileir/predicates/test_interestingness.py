"""Commands that decide: exit codes, limits, the folder, and nothing that goes on behind them."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.tileir.supervisor.processes import all_end, written
from tileir.errors import ToolError
from tileir.predicates import InterestingnessTest, Toolkit
from tileir.predicates.programs import Limits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are scripts of sh")


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Write a script of sh, and return the command that names it."""
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "ask.sh") -> str:
        Path(name).write_text(text)
        return f"sh {name}"

    return written


def test_exit_code_0_is_yes(script) -> None:
    test = InterestingnessTest.of(script('grep -q planted "$1"'))
    assert test.holds(b"a planted defect")
    assert not test.holds(b"nothing")


def test_a_signal_is_no(script) -> None:
    assert not InterestingnessTest.of(script("kill -9 $$")).holds(b"")


def test_it_runs_in_an_empty_folder_that_is_thrown_away(script, tmp_path) -> None:
    told = tmp_path / "told"
    test = InterestingnessTest.of(script(f'ls -A > "{told}"; pwd >> "{told}"; touch left behind'))
    assert test.holds(b"")
    folder = told.read_text().splitlines()
    assert len(folder) == 1, "the folder is not empty"
    assert not os.path.exists(folder[0])


def test_no_shell_reads_the_command(script, tmp_path) -> None:
    script("""test "$1" = '; touch $HOME' && test "$2" = '*'""")
    assert InterestingnessTest.of("sh ask.sh '; touch $HOME' '*'").holds(b"")


def test_what_it_started_is_killed_at_the_limit(script, tmp_path) -> None:
    told = tmp_path / "pid"
    test = InterestingnessTest.of(
        script(f'sleep 1000 & echo $! > "{told}"; wait'), Limits(seconds=1)
    )
    assert not test.holds(b"")
    assert all_end(int(told.read_text()))


def test_what_it_left_running_is_killed(script, tmp_path) -> None:
    told = tmp_path / "pid"
    assert InterestingnessTest.of(script(f'sleep 1000 & echo $! > "{told}"')).holds(b"")
    assert all_end(int(told.read_text()))


def test_it_ends_with_this_process(script, tmp_path) -> None:
    told = tmp_path / "pid"
    command = script(f'echo $$ > "{told}.part"; mv "{told}.part" "{told}"; exec sleep 1000')
    asking = (
        "from tileir.predicates import InterestingnessTest, Limits;"
        f"InterestingnessTest.of({command!r}, Limits(seconds=1000)).holds(b'')"
    )
    asked = subprocess.Popen([sys.executable, "-c", asking])
    asks = int(written(told))
    asked.kill()
    asked.wait()
    assert all_end(asks)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_memory_is_limited(script) -> None:
    Path("ask.py").write_text("bytearray(1 << 29)")
    words = f"{sys.executable} ask.py"
    assert InterestingnessTest.of(words, Limits(memory=None)).holds(b"")
    assert not InterestingnessTest.of(words, Limits(memory=1 << 28)).holds(b"")


def test_long_output_is_dropped(script) -> None:
    script("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2")
    assert InterestingnessTest.of("sh ask.sh", Limits(output=1000)).holds(b"")


def test_threads_ask_at_once_and_copies_answer_the_same(script) -> None:
    test = InterestingnessTest.of(script('grep -q odd "$1"'))
    files = [b"odd" if n % 2 else b"even" for n in range(16)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(pickle.loads(pickle.dumps(test)).holds, files)) == [False, True] * 8


def test_tools_of_a_release_come_first(script, tmp_path) -> None:
    tool = tmp_path / "release" / "bin" / "tileiras"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\nexit 0\n")
    tool.chmod(0o755)
    toolkit = Toolkit(tmp_path / "release", "13.9.0")
    command = script(f'test "$(command -v tileiras)" = "{tool}"')
    assert InterestingnessTest.of(command, toolkit=toolkit).holds(b"")
    assert not InterestingnessTest.of(command).holds(b"")


def test_commands_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="empty"):
        InterestingnessTest.of(" ")
    with pytest.raises(ValueError, match="quotation"):
        InterestingnessTest.of("sh 'x")
    with pytest.raises(ToolError, match="no program 'nothing-of-that-name'"):
        InterestingnessTest.of("nothing-of-that-name x")


def test_a_file_that_cannot_be_executed_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "ask.sh").write_text("exit 0")
    with pytest.raises(ToolError, match=r"ask\.sh is not executable"):
        InterestingnessTest.of(str(tmp_path / "ask.sh"))
