"""A fork waits for what must be done as a whole, and for nothing else."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.corpus import ROOT
from tileir.formats import forks
from tileir.formats.forks import Lock, _Gate

SOON = 20
"""Seconds: what does not end within them does not end."""


@pytest.fixture
def gate() -> _Gate:
    """A gate of its own, which real forks do not know."""
    return _Gate()


@contextmanager
def elsewhere(action) -> Iterator[threading.Event]:
    """Do something in another thread; the event is set once it is done."""
    done = threading.Event()
    thread = threading.Thread(target=lambda: (action(), done.set()), daemon=True)
    thread.start()
    yield done
    thread.join(SOON)
    assert done.is_set()


def test_a_fork_waits_for_a_thread_that_is_inside(gate: _Gate) -> None:
    with gate:
        waiting = elsewhere(gate.before_fork)
        done = waiting.__enter__()
        assert not done.wait(0.05)
    waiting.__exit__(None, None, None)


def test_nobody_enters_while_a_process_forks(gate: _Gate) -> None:
    def enter() -> None:
        with gate:
            pass

    gate.before_fork()
    with gate, elsewhere(enter) as done:  # the thread that forks may
        assert not done.wait(0.05)
        gate.after_fork()


def test_many_may_be_inside(gate: _Gate) -> None:
    def enter() -> None:
        with gate, gate:
            pass

    with gate, elsewhere(enter) as done:
        assert done.wait(SOON)


def test_a_thread_that_is_inside_may_fork(gate: _Gate) -> None:
    with gate:
        gate.before_fork()
        gate.after_fork()
    with elsewhere(gate.before_fork):
        pass


def test_a_child_forgets_the_other_threads(gate: _Gate) -> None:
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with gate:
            entered.set()
            leave.wait(SOON)

    with elsewhere(stay):
        assert entered.wait(SOON)
        child = _Gate()
        child._inside = gate._inside.copy()
        child.in_child()
        with elsewhere(child.before_fork):
            pass
        leave.set()


def test_a_lock_of_another_library_is_held_by_the_fork(gate: _Gate) -> None:
    foreign = threading.Lock()
    gate.held.append(foreign)
    gate.before_fork()
    assert foreign.locked()
    gate.after_fork()
    assert not foreign.locked()


def test_a_fork_that_waits_holds_nothing(gate: _Gate) -> None:
    """What is inside may need the lock before it can leave."""
    foreign = threading.Lock()
    gate.held.append(foreign)
    entered, forking = threading.Event(), threading.Event()

    def need_the_lock() -> None:
        with gate:
            entered.set()
            forking.wait(SOON)
            with foreign:
                pass

    with elsewhere(need_the_lock):
        assert entered.wait(SOON)
        forking.set()
        gate.before_fork()
        gate.after_fork()


def test_a_fork_goes_ahead_in_the_end(gate: _Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "PATIENCE", 0.01)
    with gate, elsewhere(gate.before_fork) as done:
        assert done.wait(SOON)
    gate.after_fork()
    gate.in_child()


def test_a_lock_is_reentrant_and_excludes_others() -> None:
    lock, order = Lock(), []

    def take() -> None:
        with lock:
            order.append("other")

    with lock, lock:
        other = elsewhere(take)
        done = other.__enter__()
        assert not done.wait(0.05)
        order.append("own")
    other.__exit__(None, None, None)
    assert order == ["own", "other"]


def is_called(call: ast.Call, name: str) -> bool:
    """Whether this is a call of a plain name."""
    return isinstance(call.func, ast.Name) and call.func.id == name


def late_imports(tree: ast.AST, inside: bool = False, late: bool = False) -> Iterator[int]:
    """The lines of imports in functions that a fork may come between."""
    for node in ast.iter_child_nodes(tree):
        guarded = inside or (
            isinstance(node, ast.With)
            and any(ast.unparse(item.context_expr) == "not_forking" for item in node.items)
        )
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        called = isinstance(node, ast.Call) and is_called(node, "import_module")
        if late and not guarded and (imports or called):
            yield node.lineno
        yield from late_imports(node, guarded, late or isinstance(node, ast.FunctionDef))


PROGRAMS = ("__main__.py", "commands", "cutile", "doctor", "serve", "tileiras")
"""What runs as a program of its own, and in one thread while it starts; so do commands elsewhere,
whose modules are called so."""


def test_no_fork_comes_between_a_late_import() -> None:
    """A module that another thread had half imported would hang every child that imports it."""
    paths = [
        path
        for layer in ("formats", "tileir", "codegen")
        for path in sorted((ROOT / layer).rglob("*.py"))
        if not set(path.relative_to(ROOT / layer).parts) & set(PROGRAMS)
        if not path.stem.endswith("command")
    ]
    assert len(paths) > 400
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in paths
        for line in late_imports(ast.parse(path.read_text()))
    ]
    assert not found


OTHER_LOCKS = {
    "formats/forks.py": "makes the lock of all others",
    "codegen/host/running/work.py": "belongs to one launch",
    "codegen/host/running/reports.py": "belongs to one launch",
    "codegen/device/image.py": "a child cannot use the parent's GPU anyway",
    "codegen/emulator/ptx/blocks.py": "launches only",
    "codegen/emulator/running/module.py": "launches only",
    "codegen/emulator/threads/barriers.py": "launches only",
    "codegen/emulator/threads/lanes.py": "launches only",
    "tileir/supervisor/child.py": "belongs to a process that another one has started",
    "tileir/supervisor/supervising.py": "is held while a child works, for which no fork can wait",
    "tileir/batches/worker.py": "a process that was forked has a child, and a lock, of its own",
    "tileir/serve/front.py": "belongs to a program that forks nothing",
    "tileir/cutile/cutile_internals.py": "is held while a kernel runs, for which no fork can wait",
}
"""Files with locks that a fork may find locked -> why."""


def test_locks_are_those_that_a_fork_waits_for() -> None:
    """`cached_property` counts: up to Python 3.11 it has a lock for all objects of a class."""
    other = re.compile(r"threading\.R?Lock\b|^ +@cached_property", re.MULTILINE)
    found = {
        path.relative_to(ROOT).as_posix()
        for layer in ("formats", "tileir", "codegen")
        for path in (ROOT / layer).rglob("*.py")
        if other.search(path.read_text())
    }
    assert found == OTHER_LOCKS.keys()
