"""How long it takes until a file is open, with nothing read that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.corpus import FIXTURES
from tileir import Bytecode

from .timing import best, fresh

COLD = """
import json, mmap, sys, time
from tileir import Bytecode
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
start = time.process_time()
bytecode = Bytecode.parse(data)
opened = time.process_time()
functions = bytecode.functions
listed = time.process_time()
functions[len(functions) // 2].body
print(json.dumps({
    "open": opened - start, "functions": listed - opened, "body": time.process_time() - listed,
}))
"""

FIRST = """
import json, sys, time
start = time.process_time()
from tileir import Bytecode
imported = time.process_time()
data = open(sys.argv[1], "rb").read()
times = [time.process_time()]
for _ in range(20):
    Bytecode.parse(data).touch()
    times.append(time.process_time())
later = min(end - begin for begin, end in zip(times[1:], times[2:]))
print(json.dumps({"import": imported - start, "first": times[1] - times[0], "later": later}))
"""


class Took(NamedTuple):
    """What was done, and CPU seconds: with the collector off and, where it matters, on."""

    what: str
    seconds: float
    collected: float | None = None


def measure(data: bytes, path: Path, repeat: int) -> Iterator[Took]:
    """Times for a large file, whose bytes are also at `path`, and for the first small one."""

    def one(run, setup=lambda: None):
        return best(run, repeat, setup=setup), best(run, repeat, setup=setup, collector=True)

    def parse(_=None):
        return Bytecode.parse(data)

    def listed():
        bytecode = parse()
        _ = bytecode.functions
        return bytecode

    Bytecode.parse(data).touch()  # so that nothing is generated while the clock runs
    yield Took("parse", *one(parse))
    yield Took("the function table", *one(lambda bytecode: bytecode.functions, parse))
    body = one(lambda b: b.functions[len(b.functions) // 2].body, listed)
    yield Took("one body", *body)
    cold = fresh(COLD, path, repeat=repeat)
    yield Took("new process, from mmap: parse", cold["open"])
    yield Took("new process: the function table", cold["functions"])
    yield Took("new process: one body", cold["body"])
    small = FIXTURES / "13.4" / "matmul.tileirbc"
    first = fresh(FIRST, small, repeat=repeat)
    yield Took("new process: import tileir", first["import"])
    yield Took("new process: 13.4/matmul, first time", first["first"])
    yield Took("new process: 13.4/matmul, later", first["later"])
    yield Took("so generating and compiling for one file", first["first"] - first["later"])
