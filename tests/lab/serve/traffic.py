"""Requests by their numbers: what other programs ask, and what only somebody hostile would send.

The same number is the same request everywhere. Innocent ones come again and again, and have to get
the same answer each time, whatever was in between.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import tileir
from tests.corpus import FIXTURES
from tests.lab.bench.modules import large_module
from tests.lab.bombs import in_bytes, in_text
from tests.lab.fuzz.mutations import Seed, mutant, seeds
from tests.tileir.serve.client import sent

NAMES = (
    "vector_add", "loop_sum", "fma_scalar", "two_entries", "running_sum", "dense_table", "softmax",
    "hinted_by_target", "transpose_view", "int_widths",
)  # fmt: skip
TARGETS = ("sm_80", "sm_90", "sm_120")

INNOCENT, REFUSED, ANY = "innocent", "refused", "any"

LONGEST = 1 << 20
"""Bytes of the longest message that the server takes."""

_BOMB = 40
"""By how much bombs are smaller than where they are measured: what counts here are the limits of
the protocol."""


class Asked(NamedTuple):
    """A message, and what has to come back.

    kind    INNOCENT: a result, the same as before; REFUSED: an error; ANY: one of both
    id      of the answer, None where the message does not say
    cancel  whether to cancel it as soon as it has been sent
    """

    kind: str
    data: bytes
    id: int | None
    cancel: bool = False


def request(number: int) -> Asked:
    """The request of that number."""
    choice = random.Random(f"serve/{number}")
    row = choice.choices(_ROWS, [share for share, _ in _ROWS])[0]
    return row[1](number, choice)


def _asked(kind: str, id: int, method: str, cancel: bool = False, **params: object) -> Asked:
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    data = json.dumps(message).encode()
    if len(data) > LONGEST:  # which is passed by, so that nobody knows its id
        return Asked(REFUSED, data, None)
    return Asked(kind, data, id, cancel)


@cache
def _file(name: str) -> bytes:
    return (FIXTURES / "13.4" / f"{name}.tileirbc").read_bytes()


@cache
def _text(name: str) -> bytes:
    return tileir.disassemble(_file(name)).encode()


@cache
def _seeds() -> list[Seed]:
    return [each for each in seeds("13.4") if len(each.data) < 4000]


def _read(id: int, choice: random.Random) -> Asked:
    method, module = choice.choice(("verify", "dis")), _file(choice.choice(NAMES))
    return _asked(INNOCENT, id, method, module=sent(module))


def _inspect(id: int, choice: random.Random) -> Asked:
    module = _file(choice.choice(NAMES))
    return _asked(INNOCENT, id, "inspect", module=sent(module), section="Type")


def _assemble(id: int, choice: random.Random) -> Asked:
    return _asked(INNOCENT, id, "as", text=sent(_text(choice.choice(NAMES))))


def _compile(id: int, choice: random.Random) -> Asked:
    module, targets = _file(choice.choice(NAMES[:4])), [choice.choice(TARGETS)]
    return _asked(INNOCENT, id, "compile", module=sent(module), targets=targets)


def _mutant(id: int, choice: random.Random) -> Asked:
    method = choice.choice(("verify", "dis", "inspect"))
    return _asked(ANY, id, method, module=sent(mutant(1, id, _seeds(), swollen=0).data))


def _mutant_text(id: int, choice: random.Random) -> Asked:
    text = bytearray(_text(choice.choice(NAMES)))
    for _ in range(choice.randrange(1, 4)):
        text[choice.randrange(len(text))] = choice.randrange(256)
    return _asked(ANY, id, "as", text=sent(bytes(text)))


def _bomb(id: int, choice: random.Random) -> Asked:
    bomb = choice.choice([*in_bytes.BOMBS, *in_text.BOMBS])
    given = bomb.made(max(1, bomb.size // _BOMB))
    if isinstance(given, str):
        return _asked(ANY, id, "as", text=sent(given.encode("utf-8", "surrogateescape")))
    return _asked(ANY, id, choice.choice(("verify", "dis")), module=sent(given))


def _wrong(id: int, choice: random.Random) -> Asked:
    module = sent(_file("vector_add"))
    params = choice.choice(
        [
            {}, {"module": 7}, {"module": "?"}, {"module": module, "x" * 5000: 1},
            {"module": module, "targets": ["sm_1"]}, {"module": module, "targets": [[]]},
            {"module": module, "targets": ["sm_90"], "options": {"num_warps": 1 << 90}},
            {"module": module, "targets": ["sm_90"], "options": {"symbols": ["\ud800"]}},
            {"file": "/etc/passwd"},
        ]
    )  # fmt: skip
    return _asked(REFUSED, id, choice.choice(("compile", "compile", "open")), **params)


def _no_request(_: int, choice: random.Random) -> Asked:
    size = choice.randrange(1, 200_000)
    data = choice.choice(
        [
            b"", b"{", b"[" * size, b"[" + b"[]," * size, b'{"a":' * size, b'"' + b"\\u0000" * size,
            b"1" * size, b"\xff" * size, b" " * (2 * LONGEST), b'{"id": [], "jsonrpc": "2.0"}',
        ]
    )  # fmt: skip
    return Asked(REFUSED, data, None)


@cache
def _large() -> bytes:
    return large_module(20_000)


def _cancelled(id: int, choice: random.Random) -> Asked:
    """Minutes of LLVM's time, were it not for the client."""
    module = sent(_large())
    return _asked(REFUSED, id, "compile", cancel=True, module=module, targets=["sm_90"])


_ROWS: list[tuple[float, Callable[[int, random.Random], Asked]]] = [
    (30, _read),
    (12, _inspect),
    (8, _assemble),
    (4, _compile),
    (18, _mutant),
    (8, _mutant_text),
    (4, _bomb),
    (8, _wrong),
    (7.5, _no_request),
    (0.5, _cancelled),
]
"""Share of all requests, and what makes one, given its number."""


def requests(count: int) -> Iterator[Asked]:
    """The first requests, in order; their ids are their numbers from 1."""
    return map(request, range(1, count + 1))
