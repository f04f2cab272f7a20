"""Children that answer, children that do not, and what is said of them; none is left behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tileir.errors import UnsupportedError, WorkerError
from tileir.supervisor import Supervisor, memory
from tileir.supervisor.child import Child, last_words, ran_out_of_memory

from .processes import all_end, lives, written

OBEY = "tests.tileir.supervisor.planted:obey"
MIB = 1 << 20

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no signals on Windows")


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    limit = 96 * MIB if memory.LIMITED else None
    with Supervisor(OBEY, memory=limit, answer=MIB) as one:
        yield one


def pid_of(supervisor: Supervisor) -> int:
    return int(supervisor.call(b"pid", "who"))


def fails(supervisor: Supervisor, data: bytes, kind: str, message: str) -> None:
    """The call ends with that error, and another child takes the place of this one."""
    before = supervisor.pid
    with pytest.raises(WorkerError) as caught:
        supervisor.call(data, "file.tileirbc")
    assert (caught.value.kind, caught.value.request) == (kind, "file.tileirbc")
    assert str(caught.value) == f"file.tileirbc: {message}"
    after = supervisor.pid
    assert (after == before) is (kind == "answer")
    assert supervisor.call(b"say again", "again") == b"again"


def test_one_child_answers(supervisor: Supervisor) -> None:
    every = bytes(range(256)) * 2000
    assert supervisor.call(b"say " + every, "all bytes") == every
    assert supervisor.call(b"say ", "none") == b""
    first = pid_of(supervisor)
    with ThreadPoolExecutor(8) as threads:
        asked = [b"%d" % number for number in range(40)]
        said = threads.map(lambda data: supervisor.call(b"say " + data, "many"), asked)
        assert list(said) == asked
    assert pid_of(supervisor) == first == supervisor.pid != os.getpid()


def test_what_the_function_raises_is_told(supervisor: Supervisor) -> None:
    fails(supervisor, b"fail of itself", "defect", "ValueError: of itself")
    fails(supervisor, b"what", "defect", "KeyError: b'what'")


def test_answers_are_bounded(supervisor: Supervisor) -> None:
    half = b"twice " + bytes(MIB // 2)
    assert len(supervisor.call(half, "the most")) == MIB
    too_long = "the answer has 1 MiB, more than the 1 MiB of the limit"
    fails(supervisor, half + b".", "answer", too_long)


@posix
def test_a_crash_is_named(supervisor: Supervisor) -> None:
    died = "the process that worked on it "
    fails(supervisor, b"crash", "crash", f"{died}was killed by SIGSEGV")
    fails(supervisor, b"leave", "crash", f"{died}ended with exit code 3: that is enough")


FATAL = """\
an error before
Fatal Python error: f: Cannot recover from MemoryErrors

Current thread:
  File "errors.py", line 1 in f

Extension modules: numpy"""
BLAS = "OpenBLAS error: Memory allocation still failed after 10 retries, giving up."


@pytest.mark.parametrize(
    ("said", "last", "of_memory"),
    [
        ("", "", False),
        ("one\ntwo", "two", False),
        ("LLVM ERROR: no such thing\n", "LLVM ERROR: no such thing", False),
        ("LLVM ERROR: out of memory\nAllocation failed", "LLVM ERROR: out of memory", True),
        (FATAL, FATAL.splitlines()[1], True),
        (BLAS, BLAS, True),
    ],
)
def test_last_words(said: str, last: str, of_memory: bool) -> None:
    assert last_words(said) == last
    assert ran_out_of_memory(said) is of_memory


@pytest.mark.skipif(not memory.LIMITED, reason="this system keeps no limit of memory")
def test_memory_is_limited(supervisor: Supervisor) -> None:
    assert supervisor.call(b"eat %d" % (16 * MIB), "little") == b"\0"
    more = "it needed more than 96 MiB of memory, the limit"
    fails(supervisor, b"eat %d" % (128 * MIB), "memory", more)
    fails(supervisor, b"say " + bytes(128 * MIB), "memory", more)
    fails(supervisor, b"give-up", "memory", more)


def test_a_limit_that_is_not_kept_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LIMITED", False)
    with pytest.raises(UnsupportedError, match="memory of a process cannot be limited"):
        Supervisor(OBEY, memory=MIB)


@pytest.mark.parametrize("deed", [b"sleep", b"sleep-in-c"])
def test_time_is_limited(deed: bytes) -> None:
    with Supervisor(OBEY, seconds=0.5) as supervisor:
        before = supervisor.pid
        with pytest.raises(WorkerError) as caught:
            supervisor.call(deed, "loop.tileirbc")
        assert str(caught.value) == "loop.tileirbc: it took more than 0.5 s, the limit of time"
        assert caught.value.kind == "time"
        assert supervisor.pid not in (before, None)


def test_time_is_limited_of_each_call() -> None:
    """Of many that are made at once, all together take longer."""
    with Supervisor(OBEY, seconds=3.0) as supervisor:
        naps = [(f"nap {number}", b"nap 0.8") for number in range(4)]
        loop = ("loop", b"sleep")
        *outcomes, last = supervisor.calls([*naps, loop, ("after", b"say nothing")])
        assert outcomes == [b"0.8"] * 4
        assert isinstance(last, WorkerError)
        assert (last.kind, last.request) == ("time", "loop")


@posix
def test_many_calls_at_once(supervisor: Supervisor) -> None:
    """What is in front of a call that ends the child is told, what comes after it is not done."""
    large = b"%d" % 7 * (MIB // 4)
    said = [(f"{number}", b"say " + large) for number in range(9)]
    assert supervisor.calls(said) == [large] * 9  # more than pipes hold
    before = supervisor.pid
    first, second, third = supervisor.calls(
        [("a", b"say 1"), ("b", b"twice " + bytes(MIB)), ("c", b"say 2")]
    )
    assert (first, third, supervisor.pid) == (b"1", b"2", before)
    assert isinstance(second, WorkerError)
    assert (second.kind, second.request) == ("answer", "b")
    for deed, kind in ((b"crash", "crash"), (b"fail", "defect"), (b"give-up", "memory")):
        before = supervisor.pid
        first, second = supervisor.calls([("a", b"say 1"), ("b", deed), ("c", b"say 2")])
        assert first == b"1"
        assert isinstance(second, WorkerError)
        assert (second.kind, second.request) == (kind, "b")
        assert supervisor.pid not in (before, None)


def test_the_one_that_is_cancelled_is_named_although_it_has_answered(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer is on the way when it is killed, and the next one finds no process."""
    given = Child.answer
    cancelled: list[bool] = []

    def answer(child: Child) -> tuple[bytes, bytes]:
        found = given(child)
        if found[1] == b"1":
            cancelled.append(supervisor.cancel("a"))
        return found

    assert supervisor.call(b"say 0", "before") == b"0"
    monkeypatch.setattr(Child, "answer", answer)
    (outcome,) = supervisor.calls([("a", b"say 1"), ("b", b"say 2")])
    assert cancelled == [True]
    assert isinstance(outcome, WorkerError)
    assert (outcome.kind, outcome.request) == ("cancelled", "a")
    assert supervisor.call(b"say 3", "after") == b"3"


def under_way(supervisor: Supervisor, data: bytes, name: str) -> tuple[threading.Thread, list]:
    """Call in a thread of its own; the list gets the error."""
    raised: list[WorkerError] = []

    def call() -> None:
        try:
            supervisor.call(data, name)
        except WorkerError as error:
            raised.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    return thread, raised


@linux
def test_a_call_is_cancelled_with_all_that_it_started(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    thread, raised = under_way(supervisor, b"start %b" % bytes(tmp_path / "pids"), "slow")
    pids = list(map(int, written(tmp_path / "pids").split()))
    assert all(map(lives, pids))
    assert not supervisor.cancel("another")
    assert supervisor.cancel("slow")
    thread.join()
    assert [str(error) for error in raised] == ["slow: cancelled"]
    assert raised[0].kind == "cancelled"
    assert all_end(*pids)
    assert not supervisor.cancel("slow")
    cancelled = threading.Event()
    assert supervisor.call(b"say no", "not yet", cancelled) == b"no"
    cancelled.set()
    with pytest.raises(WorkerError, match="before: cancelled"):
        supervisor.call(b"say no", "before", cancelled)


@linux
def test_closing_ends_what_is_under_way(tmp_path: Path) -> None:
    supervisor = Supervisor(OBEY)
    thread, raised = under_way(supervisor, b"start %b" % bytes(tmp_path / "pids"), "last")
    pids = list(map(int, written(tmp_path / "pids").split()))
    supervisor.close()
    thread.join()
    assert raised[0].kind == "cancelled"
    assert all_end(*pids)
    assert supervisor.pid is None
    with pytest.raises(WorkerError, match="later: the supervisor is closed"):
        supervisor.call(b"say no", "later")
    supervisor.close()


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("tests.tileir.supervisor.nowhere:obey", "ModuleNotFoundError: No module named"),
        ("tests.tileir.supervisor.planted:nobody", "AttributeError: module"),
    ],
)
def test_a_child_that_cannot_start(function: str, why: str) -> None:
    with Supervisor(function) as supervisor:
        for _ in range(2):
            with pytest.raises(WorkerError) as caught:
                supervisor.call(b"", "first")
            assert caught.value.kind == "start"
            start = f"first: the process that works on it cannot start: {why}"
            assert str(caught.value).startswith(start)


@pytest.mark.skipif(not memory.LIMITED, reason="this system keeps no limit of memory")
def test_a_child_that_cannot_start_in_so_little_memory() -> None:
    with Supervisor(OBEY, memory=4 << 20) as supervisor, pytest.raises(WorkerError) as caught:
        supervisor.call(b"", "first")
    assert str(caught.value) == (
        "first: the process that works on it needs more than 4 MiB of memory to start"
    )


def test_a_system_that_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("too many of them")

    with monkeypatch.context() as changed:
        changed.setattr(subprocess, "Popen", refuse)
        supervisor = Supervisor(OBEY)
        with pytest.raises(WorkerError, match="there is no process for it: too many of them"):
            supervisor.call(b"say no", "first")
    assert supervisor.call(b"say yes", "second") == b"yes"
    supervisor.close()


def test_a_child_serves_so_many_calls() -> None:
    with Supervisor(OBEY, calls=2) as supervisor:
        pids = [pid_of(supervisor) for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


PARENT = """\
import sys
from tileir.supervisor import Supervisor
Supervisor("tests.tileir.supervisor.planted:obey").call(sys.argv[1].encode(), "for ever")
"""


@linux
def test_children_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    """In the middle of their work, and what they have started with them."""
    path = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-c", PARENT, f"start {path}"], cwd=ROOT)
    pids = list(map(int, written(path).split()))
    assert all(map(lives, pids))
    parent.send_signal(signal.SIGKILL)
    assert parent.wait() == -signal.SIGKILL
    assert all_end(*pids)


def test_the_error_can_be_pickled() -> None:
    error = pickle.loads(pickle.dumps(WorkerError("time", "a\nb", "late")))
    assert (error.kind, error.request, error.problem) == ("time", "a\nb", "late")
    assert str(error) == "a\\nb: late"
