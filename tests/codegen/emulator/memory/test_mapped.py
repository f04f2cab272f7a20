"""Pointers given as addresses of memory whose size nobody tells."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.snippets import THREADS, kernel, plan, run
from tileir.codegen.emulator import EmulationError, launch
from tileir.codegen.emulator.memory import mapped

COPY = """
mul.wide.u32 %d10, %r0, 4;
add.s64 %d11, %d0, %d10;
add.s64 %d12, %d1, %d10;
ld.global.b32 %r5, [%d11];
st.global.b32 [%d12], %r5;
"""
X = np.arange(THREADS, dtype=np.int32)
needs_linux = pytest.mark.skipif(not mapped.MAPS.exists(), reason="only Linux lists what is mapped")


def error(body: str, *arguments: Any, **more: Any) -> EmulationError:
    with pytest.raises(EmulationError) as caught:
        run(body, *arguments, **more)
    return caught.value


@needs_linux
def test_addresses_reach_whatever_is_mapped() -> None:
    for source in (X, X.ctypes.data):
        z = np.zeros(THREADS, np.int32)
        run(COPY, source, z.ctypes.data)
        assert (z == X).all()
    # Beyond the array that is passed, since the launch cannot tell which argument leads where.
    z = np.zeros(THREADS, np.int32)
    run(COPY, X[:2], z.ctypes.data)
    assert (z == X).all()


@needs_linux
def test_what_is_not_mapped_or_not_to_be_written() -> None:
    z = np.zeros(THREADS, np.int32)
    with Path(__file__).open("rb") as file:
        fixed = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    for address in (np.frombuffer(fixed, np.uint8).ctypes.data, 4096, 1 << 50):
        found = error(COPY, address, z.ctypes.data)
        assert (found.kind, found.address) == ("bounds", address)


def test_extents_that_are_known_count() -> None:
    """An address within them is no reason to allow more, and null never is."""
    room = np.arange(2 * THREADS, dtype=np.int32)
    half, address = room[:THREADS], room.ctypes.data
    z = np.zeros(THREADS, np.int32)
    text, launched = kernel(COPY, ("u64", "u64")), plan(("u64", "u64"))
    launch(text, launched, 1, [address, z], allocations=[half])
    assert (z == half).all()
    run(COPY, half, address)
    for arguments in ([address + 4, z], [0, z], [half, 0]):
        with pytest.raises(EmulationError, match="bounds"):
            launch(text, launched, 1, arguments, allocations=[half])


@needs_linux
def test_races() -> None:
    z = np.zeros(THREADS << 14, np.int32)
    address = z.ctypes.data
    assert error("st.global.b32 [%d0], %r0;", address).kind == "race"
    assert error("st.global.b32 [%d0], %r1;", address, blocks=2).kind == "race"
    far = "mul.wide.u32 %d10, %r0, 65536;\nadd.s64 %d11, %d0, %d10;\n"
    run(far + "st.global.b32 [%d11], %r0;", address)
    assert (z[:: 1 << 14] == X).all()
    early = far + "ld.global.b32 %r5, [%d11];\nbar.sync 0;\nst.global.b32 [%d0+1638400], %r1;"
    run(early, address)
    late = early.replace("bar.sync 0;\n", "")
    assert error(late, address, schedule="ascending").kind == "race"


def test_where_nothing_tells_what_is_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MAPS", Path(__file__) / "maps")
    z = np.zeros(THREADS, np.int32)
    run(COPY, X, z)
    found = error(COPY, X, z.ctypes.data)
    assert (found.kind, "Linux only" in str(found)) == ("launch", True)
