"""The server as a process: answers, hostile messages, limits, clients that leave."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tileir
from tests.corpus import FIXTURES, ROOT
from tests.programs import call
from tests.tileir.supervisor.processes import all_end, lives, written
from tileir.__main__ import main

from .client import SERVE, Client, framed, sent

VECTOR_ADD = (FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes()
BROKEN = (FIXTURES / "invalid" / "unknown_opcode.tileirbc").read_bytes()

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """One server for all tests that leave it alive."""
    with Client("--request", "1") as one:
        yield one


def is_well(client: Client) -> None:
    assert client.ask("verify", module=sent(VECTOR_ADD))["valid"] is True


def test_it_says_what_it_is(client: Client) -> None:
    said = client.ask("version")
    assert (said["tileir"], said["protocol"]) == (tileir.__version__, 1)
    assert said["bytecode"][0] == "13.1"
    assert {"sm_80", "sm_90a", "host"} <= set(said["targets"])
    assert said["methods"] == ["verify", "dis", "as", "inspect", "compile", "version", "shutdown"]
    assert said["limits"]["request"] == 1 << 20


def test_it_compiles(client: Client) -> None:
    made = client.ask("compile", module=sent(VECTOR_ADD), targets=["sm_90"])
    compiled = tileir.compile(VECTOR_ADD, "sm_90")
    assert made["targets"]["sm_90"] == {"ptx": compiled.ptx, "plan": compiled.plan}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", -32700),
        (b"\0" * 100, -32700),
        (b"[" * 100_000, -32600),
        (b'{"jsonrpc": "2.0", "id": 7}', -32600),
        (b'{"id": 7, "method": "verify"}', -32600),
        (b'[{"jsonrpc": "2.0", "id": 7, "method": "version"}]', -32600),
        (b" " * (2 << 20), -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "open"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "verify", "params": {"file": "/etc/passwd"}}',
         -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "verify", "params": {"module": "%b"}}'
         % sent(BROKEN).encode(), -32003),
    ],
)  # fmt: skip
def test_hostile_messages_are_answered(client: Client, data: bytes, code: int) -> None:
    client.write(framed(data))
    answer = client.receive()
    assert answer["error"]["code"] == code
    assert answer["id"] in (None, 7)
    is_well(client)


def test_what_nobody_waits_for_is_not_done(client: Client) -> None:
    for method in ("verify", "version", "nothing", "$/other"):
        client.notify(method, module=sent(VECTOR_ADD))
    client.notify("$/cancelRequest", id=99)
    client.notify("$/cancelRequest", id=[1])
    is_well(client)


def test_an_id_may_be_used_again(client: Client) -> None:
    message = {"jsonrpc": "2.0", "id": "again", "method": "verify", "params": {}}
    for _ in range(100):
        client.write(framed(message))
        assert client.receive()["error"]["message"].startswith("module is missing")


def test_wrong_use() -> None:
    for given, problem in (
        ([], "give --stdio: there is no other way to reach it yet"),
        (["--stdio", "--seconds", "0"], "argument --seconds: '0' is not a number of sec"),
        (["--stdio", "--workers", "-1"], "argument --workers: '-1' is not a number from"),
        (["--stdio", "--workers", "1025"], "--workers 1025 is more than 1024"),
        (["--stdio", "--memory", "4G"], "argument --memory: '4G' is not a number from 1 on"),
        (["--stdio", "--memory", "99999999999999"], "argument --memory: '99999999999999' is mo"),
    ):
        done = call(main, "serve", *given)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"tileir serve: {problem}")


def test_the_end_of_the_input_is_no_error() -> None:
    """What was asked is answered first, and `shutdown` too."""
    asked = [("version", {}), ("verify", {"module": sent(VECTOR_ADD)}), ("shutdown", {})]
    data = [
        framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    with Client() as client:
        client.write(data[0] + data[1] + data[2])
        assert [client.receive()["id"] for _ in data] == [0, 1, 2]
        assert client.end() == (0, "")
    done = subprocess.run(SERVE, input=data[1], cwd=ROOT, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.partition(b"\r\n\r\n")[2])["result"]["valid"] is True


PLANTED = [sys.executable, "-m", "tests.tileir.serve.planted_server"]


def planted(seconds: float = 1000, workers: int = 1) -> Client:
    """A server whose workers do what they are told to."""
    return Client(command=[*PLANTED, str(seconds), str(workers)])


def test_a_request_that_kills_its_worker_harms_no_other() -> None:
    with planted() as client:
        for number, deed in enumerate(["crash", "", "leave", "fail at all", ""]):
            client.send("verify", number=number, **({"deed": deed} if deed else {}))
        answers = [client.receive() for _ in range(5)]
        assert [answer["id"] for answer in answers] == [1, 2, 3, 4, 5]
        died = "the process that worked on it"
        assert answers[0]["error"] == {
            "code": -32012, "message": f"request 1: {died} was killed by SIGSEGV",
            "data": {"kind": "crash", "exit_code": 5},
        }  # fmt: skip
        assert answers[1]["result"] == 1
        assert answers[2]["error"]["message"].endswith("exit code 3: that is enough")
        assert answers[3]["error"] == {
            "code": -32603,
            "message": "request 4: ValueError: at all (this is a defect of tileir)",
            "data": {"kind": "defect", "exit_code": 70},
        }
        assert answers[4]["result"] == 4


def test_requests_take_so_long_and_no_longer() -> None:
    with planted(seconds=0.5) as client:
        said = client.ask("verify", deed="sleep")
        assert said["code"] == -32010
        assert said["message"] == "request 1: it took more than 0.5 s, the limit of time"


@linux
def test_requests_are_cancelled(tmp_path: Path) -> None:
    """The one under way, whose process is killed, and one that waits; ids are those of clients."""
    with planted() as client:
        slow = client.send("verify", deed=f"start {tmp_path / 'pids'}")
        pids = list(map(int, written(tmp_path / "pids").split()))
        waiting = client.send("verify", number=2)
        assert client.send("verify", number=3) == 3
        client.write(framed({"jsonrpc": "2.0", "id": slow, "method": "dis", "params": {}}))
        again = client.receive()
        assert (again["id"], again["error"]["message"]) == (slow, "request 1 is under way")
        for id in (waiting, slow, str(slow), 99):
            client.notify("$/cancelRequest", id=id)
        answers = [client.receive() for _ in range(3)]
        assert [each["id"] for each in answers] == [slow, waiting, 3]
        assert [each.get("error", {}).get("code") for each in answers] == [-32800, -32800, None]
        assert answers[2]["result"] == 3
        assert all_end(*pids)


def test_workers_work_at_once() -> None:
    with planted(workers=2) as client:
        slow = client.send("verify", deed="sleep")
        assert client.ask("verify", number=2) == 2
        client.notify("$/cancelRequest", id=slow)
        assert client.receive()["id"] == slow


@linux
@pytest.mark.parametrize("how", ["between", "inside", "killed", "exit"])
def test_a_client_that_leaves_takes_all_with_it(how: str, tmp_path: Path) -> None:
    """Between messages, in one, because the server is killed, or with a word: nobody is left."""
    with planted() as client:
        client.send("verify", deed=f"start {tmp_path / 'pids'}")
        pids = list(map(int, written(tmp_path / "pids").split()))
        assert all(map(lives, pids))
        if how == "inside":
            client.write(b"Content-Length: 1000\r\n\r\n{")
        if how == "exit":
            client.notify("exit")
            assert client.process.wait() == 0
        if how == "killed":
            client.process.send_signal(signal.SIGKILL)
            client.process.wait()
        client.process.stdout.close()
        client.process.stdin.close()
        assert all_end(client.process.pid, *pids)
        said = client.process.stderr.read().decode()
        assert "Traceback" not in said
        assert said == {
            "inside": "the input ends inside of a message\n", "killed": "",
        }.get(how, "\n")  # fmt: skip
