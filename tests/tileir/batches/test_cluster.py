"""Batches on a Dask cluster of this machine: the same results, and what happens to its processes.

    python -m pytest -m cluster            # with the extra dask; without it, they fail

Modules tell when something happens: their children kill whom they name. So nothing here depends on
how fast anything is.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import tileir
from tests.corpus import ROOT
from tests.programs import call
from tileir.__main__ import main
from tileir.batches import versions, worker
from tileir.batches.manifest import read_manifest

from . import planted
from .test_faults import INNOCENT, innocent, modules, records

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(sys.platform != "linux", reason="signals, limits of files"),
    pytest.mark.filterwarnings("default"),  # what Dask and tornado leave open is theirs
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process with a thread, and a nanny that replaces it."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
        yield made


@pytest.fixture
def on_workers(cluster) -> Iterator[Callable[..., dict[str, Any]]]:
    """Call a function in worker processes: all, or those that are named."""
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client.run


def _comparable(results: Any) -> list[tuple[dict, dict]]:
    found = [({**each.record, "seconds": 0}, each.files) for each in results]
    return sorted(found, key=lambda each: (each[0]["file"], each[0]["target"]))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some modules, one that breaks a rule, a text with an error, and nothing at all."""
    folder = tmp_path_factory.mktemp("kernels")
    for path in sorted((ROOT / "fixtures" / "13.4").glob("*.tileirbc"))[:6]:
        shutil.copy(path, folder)
    broken = sorted((ROOT / "fixtures" / "invalid" / "rules").glob("*.tileirbc"))[0]
    shutil.copy(broken, folder / "rule.tileirbc")
    (folder / "text.mlir").write_text("cuda_tile.module @m {\n  nonsense\n}\n")
    (folder / "empty.mlir").write_text("")
    return folder


@pytest.fixture(scope="module")
def by_threads(kernels: Path) -> list[tuple[dict, dict]]:
    """What threads of this process make of the modules."""
    return _comparable(_compiled(kernels, None))


def _compiled(kernels: Path, executor: str | None) -> Iterator[Any]:
    options = {"emit": ["ptx", "plan"]}
    targets = "sm_80", "sm_90"
    return tileir.batch([kernels], "compile", targets=targets, options=options, executor=executor)


def test_the_same_results_as_threads(cluster, kernels: Path, by_threads) -> None:
    """Records and files, byte for byte; only times differ. Nothing is left on the workers."""
    assert _comparable(_compiled(kernels, cluster.scheduler_address)) == by_threads
    assert sum(record["ok"] for record, _ in by_threads) == 12


def test_no_child_is_left_on_workers(cluster, on_workers, kernels: Path) -> None:
    list(tileir.batch([kernels], executor=cluster.scheduler_address))
    left = on_workers(_children)
    assert list(left.values()) == [[], []]


def _children() -> list[str]:
    """The command lines of children of this process that are supervised."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        parent = path.read_text().rpartition(")")[2].split()[1]
        line = path.with_name("cmdline").read_text()
        if int(parent) == os.getpid() and "supervisor" in line:
            found.append(line)
    return found


def test_a_worker_that_differs_is_refused_by_name(
    cluster, on_workers, tmp_path: Path, kernels: Path
) -> None:
    """At the start, before anything is done; and one that comes later, with its first chunk."""
    address = min(on_workers(os.getpid))
    manifest = tmp_path / "m.jsonl"
    arguments = "batch", "verify", "--cluster", cluster.scheduler_address, "-m", manifest, kernels
    ours = versions.here()
    theirs = ours._replace(llvmlite="0.1")
    differs = f"it has llvmlite 0.1 instead of {ours.llvmlite}"
    on_workers(_pretend, theirs, versions.__name__, workers=[address])
    done = call(main, *arguments)
    on_workers(_pretend, None, versions.__name__, workers=[address])
    assert (done.returncode, done.stderr) == (5, f"tileir batch: {address}: {differs}\n")
    assert manifest.read_bytes() == b""
    everywhere = on_workers(os.getpid).items()
    on_workers(_pretend, theirs, worker.__name__)
    done = call(main, *arguments)
    on_workers(_pretend, None, worker.__name__)
    assert done.returncode == 5
    assert any(
        done.stderr == f"tileir batch: process {process} on {os.uname().nodename}: {differs}\n"
        for _, process in everywhere
    )
    assert call(main, *arguments).stdout == "9 done (3 of them failed)\n"


def _pretend(theirs: versions.Versions | None, module: str) -> None:
    """Have this process say that it has these versions, or its own again."""
    there: Any = sys.modules[module]
    if theirs is None:
        there.here = there.real_here
    else:
        there.real_here, there.here = there.here, lambda: theirs


def test_a_worker_without_tileir_is_refused_by_name(cluster, on_workers, kernels: Path) -> None:
    address = min(on_workers(os.getpid))
    on_workers(_hide, "tileir.batches.versions", workers=[address])
    done = call(main, "batch", "verify", "--cluster", cluster.scheduler_address, kernels)
    on_workers(_show, "tileir.batches.versions", workers=[address])
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tileir batch: {address}: it cannot tell its versions: ModuleNotFound")


def _hide(name: str) -> None:
    module: Any = sys.modules[name]
    module.__dict__["hidden"] = module.__dict__.pop("here")
    sys.modules[name] = None  # type: ignore[assignment]
    sys.modules[f"{name}.hidden"] = module


def _show(name: str) -> None:
    module = sys.modules[name] = sys.modules.pop(f"{name}.hidden")
    module.__dict__["here"] = module.__dict__.pop("hidden")


def test_a_worker_that_is_killed_is_replaced(cluster, tmp_path: Path, monkeypatch) -> None:
    """In the middle of a chunk, by SIGKILL: what it had is done by another, and nothing twice."""
    folder = modules(tmp_path / "k", _20a_killed=f"kill-parent-once {tmp_path / 'killed'}")
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    on_cluster = "--cluster", cluster.scheduler_address
    done = call(main, "batch", "verify", *on_cluster, "-m", manifest, folder)
    assert (tmp_path / "killed").exists()
    assert (done.stdout, done.stderr) == (f"{INNOCENT + 1} done\n", "")
    assert innocent(records(manifest)) == list(range(INNOCENT))


def test_what_happens_to_children_is_told_once(cluster, tmp_path: Path, monkeypatch) -> None:
    folder = modules(
        tmp_path / "k",
        _05a_crash="crash",
        _11a_hang="sleep-in-c",
        _17a_eat=f"eat {1 << 33}",
        _23a_fail="fail it cannot be",
    )
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    limits = "--seconds", 4, "--memory", 1024
    on_cluster = "--cluster", cluster.scheduler_address
    done = call(main, "batch", "verify", *on_cluster, *limits, "-m", manifest, folder)
    assert done.stdout == f"{INNOCENT + 4} done (4 of them failed)\n"
    found = records(manifest)
    assert innocent(found) == list(range(INNOCENT))
    failures = {name: each["failure"] for name, each in found.items() if not each["ok"]}
    assert failures == {
        "05a_crash": "crash", "11a_hang": "time", "17a_eat": "memory", "23a_fail": "defect",
    }  # fmt: skip
    assert len(done.stderr.splitlines()) == 4


def test_full_disks_of_workers_change_nothing(
    cluster, on_workers, kernels: Path, by_threads, tmp_path: Path
) -> None:
    """They cannot write what they would keep; each write to a file fails."""
    on_workers(_limit_files, 0, str(tmp_path / "cache"))
    try:
        found = _comparable(_compiled(kernels, cluster.scheduler_address))
    finally:
        on_workers(_limit_files, resource.RLIM_INFINITY, "off")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
    assert found == by_threads


def _limit_files(size: int, cache: str) -> None:
    """Set the size that files may have which this process and its children write."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    os.environ["TILEIR_CACHE_DIR"] = cache


def test_a_scheduler_that_is_killed(tmp_path: Path, monkeypatch) -> None:
    """The batch ends with a sentence; started again on another one, it does what was left."""
    import dask
    import distributed  # noqa: F401 - or what it configures is gone when `set` ends

    mark = tmp_path / "scheduler"
    folder = modules(tmp_path / "k", _39a_kill=f"kill-named {mark}")
    planted.plant(monkeypatch)
    manifest = tmp_path / "m.jsonl"
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "5s"}),
        _scheduler(tmp_path / "first.json") as (address, process),
    ):
        mark.write_text(str(process.pid))
        done = call(main, "batch", "verify", "--cluster", address, "-m", manifest, folder)
        assert process.wait() == -signal.SIGKILL
    assert done.returncode == 5
    told = done.stderr.splitlines()[-1]
    assert told.startswith(f"tileir batch: {address}: no scheduler answers: ")
    before = len(list(read_manifest(str(manifest))))
    assert before <= INNOCENT
    with _scheduler(tmp_path / "second.json") as (address, _):
        done = call(main, "batch", "verify", "--cluster", address, "-m", manifest, folder)
    told = [f"{INNOCENT + 1 - before} done", f"{before} done before"]
    assert done.stdout == ", ".join(told if before else told[:1]) + "\n"
    assert innocent(records(manifest)) == list(range(INNOCENT))


@pytest.mark.parametrize("silent", [False, True], ids=["told", "not told"])
def test_a_scheduler_that_comes_back(tmp_path: Path, silent: bool) -> None:
    """While the batch runs: what was under way is done again, nothing twice, and it is told once.

    Also if Dask never tells of what it was fetching then, as it may.
    """
    mark, manifest = tmp_path / "scheduler", tmp_path / "m.jsonl"
    folder = modules(tmp_path / "k", _20a_kill=f"kill-named {mark}")
    program = [sys.executable, "-m", "tests.tileir.batches.planted", "verify"]
    variables = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s"}
    if silent:
        variables[planted.SILENT] = "1"
    with ExitStack() as stack, ThreadPoolExecutor(1) as beside:
        address, first = stack.enter_context(_scheduler(tmp_path / "first.json"))
        mark.write_text(str(first.pid))

        def come_back() -> str:
            first.wait()
            port = address.rpartition(":")[2]
            again, _ = stack.enter_context(_scheduler(tmp_path / "second.json", port))
            return again

        second = beside.submit(come_back)
        done = subprocess.run(
            [*program, "--cluster", address, "-m", manifest, folder],
            cwd=ROOT, env=os.environ | variables, capture_output=True, text=True,
        )  # fmt: skip
        assert second.result() == address
    assert done.stdout == f"{INNOCENT + 1} done\n"
    assert done.stderr == (
        f"tileir batch: warning: {address}: the scheduler was lost, or restarted; what was under"
        " way is done again when a scheduler answers there\n"
    )
    assert innocent(records(manifest)) == list(range(INNOCENT))


def test_a_cluster_without_workers_is_told(tmp_path: Path) -> None:
    """The batch waits for one, and does its work then."""
    folder = modules(tmp_path / "k")
    with (
        _scheduler(tmp_path / "file.json", workers=0) as (address, _),
        subprocess.Popen(
            [sys.executable, "-m", "tileir", "batch", "stats", "--cluster", address, folder],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as program,
    ):  # fmt: skip
        late = Timer(300, program.kill)  # or nothing here would end where it says nothing
        late.start()
        try:
            assert program.stderr is not None
            told = f"warning: {address}: there are no workers yet; the batch waits for them"
            assert program.stderr.readline() == f"tileir batch: {told}\n"
            with _worker(address):
                out, _ = program.communicate()
        finally:
            late.cancel()
            program.kill()
    assert out == f"{INNOCENT} done ({INNOCENT} of them failed)\n"


@contextmanager
def _scheduler(
    file: Path, port: str = "0", workers: int = 1
) -> Iterator[tuple[str, subprocess.Popen]]:
    """A scheduler in a process of its own, and a worker, which it knows by then.

    So nobody who asks it at once is told that there are no workers yet. At an address that no
    connection of this machine comes from, so that nobody else has the port.
    """
    from distributed import Client

    scheduler = subprocess.Popen(
        [sys.executable, "-m", "dask", "scheduler", "--port", port, "--host", "127.0.0.2",
         "--no-dashboard", "--scheduler-file", file],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if "Scheduler at" in line:
            break
    address = line.split()[-1]
    try:
        with _worker(address) if workers else nullcontext():
            if workers:
                with Client(address, set_as_default=False) as client:
                    client.wait_for_workers(workers, timeout=60)
            yield address, scheduler
    finally:
        scheduler.kill()
        scheduler.wait()
        scheduler.stderr.close()


@contextmanager
def _worker(address: str) -> Iterator[None]:
    worker = subprocess.Popen(
        [sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny",
         "--no-dashboard"],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    try:
        yield
    finally:
        worker.kill()
        worker.wait()


def test_an_address_where_nobody_answers(tmp_path: Path) -> None:
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "100ms"}):
        done = call(main, "batch", "verify", "--cluster", "tcp://127.0.0.1:1", ROOT / "fixtures")
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert line.startswith("tileir batch: tcp://127.0.0.1:1: no scheduler answers: ")


def test_an_address_of_an_unknown_scheme_is_told_at_once() -> None:
    done = call(main, "batch", "verify", "--cluster", "foo://there", ROOT / "fixtures")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "unknown address scheme 'foo'" in done.stderr
