"""What this machine can do: bytes copied, and operations of one kind after the other.

Both are measured, a CPU second of a thread each: what a kernel is held against is what the machine
gave in the same run, beside whatever else ran on it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator

import torch

from tileir.codegen.host.machine import cpu
from tileir.codegen.host.machine.vector_unit import VectorUnit

COPIED = 64 << 20
"""Bytes of the array that is copied: more than caches hold."""

_CHAINS = 12
"""Sums that do not depend on each other: enough to hide the latency of an operation."""

_ROUNDS = 1 << 20

PEAKS = {
    "f32": ("float", "llvm.fma.v{n}f32", "<{n} x float>", "float", 2),
    "bf16": ("float", "llvm.x86.avx512bf16.dpbf16ps.{bits}", "<{twice} x bfloat>", "bfloat", 4),
    "i8": ("i32", "llvm.x86.avx512.vpdpbusd.{bits}", "<{bytes} x i8>", "i8", 8),
}
"""Name of a unit -> type of its sums, instruction, type of factors, operations for each sum."""

_FEATURES = {"f32": "", "bf16": "avx512bf16", "i8": "avx512vnni"}


def copied_per_second(threads: int, repeat: int = 5) -> float:
    """Return bytes read and written in a CPU second, by the best of several copies."""
    torch.set_num_threads(threads)
    source, target = (torch.ones(COPIED, dtype=torch.uint8) for _ in range(2))
    return 2 * COPIED / min(_seconds(lambda: target.copy_(source), repeat))


def peak(unit: str, repeat: int = 5) -> float | None:
    """Return operations in a CPU second of one thread; None where the CPU has no such unit."""
    import llvmlite.binding as llvm

    feature = _FEATURES[unit]
    if feature and not llvm.get_host_cpu_features().get(feature):
        return None
    lanes = VectorUnit.of_host().bits // 32
    engine = cpu.load(cpu.object_code(cpu.optimised(_loop(unit, lanes))))
    run = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(
        engine.get_function_address("run")
    )
    sums = (ctypes.c_char * 64)()
    seconds = min(_seconds(lambda: run(_ROUNDS, ctypes.addressof(sums)), repeat))
    return _ROUNDS * _CHAINS * lanes * PEAKS[unit][4] / seconds


def _loop(unit: str, lanes: int) -> str:
    """Return LLVM IR that adds products to a few vectors of sums, again and again."""
    element, name, factor, _, _ = PEAKS[unit]
    sizes = {"n": lanes, "twice": 2 * lanes, "bytes": 4 * lanes, "bits": 32 * lanes}
    name, factor, sums = name.format(**sizes), factor.format(**sizes), f"<{lanes} x {element}>"
    given = f"{factor}, {factor}, {sums}" if unit == "f32" else f"{sums}, {factor}, {factor}"
    lines = [f"declare {sums} @{name}({given})", "define void @run(i64 %n, ptr %out) {", "entry:"]
    lines += [f"%f = load {factor}, ptr %out, align 1", f"%s = load {sums}, ptr %out, align 1"]
    lines += ["br label %loop", "loop:", "%i = phi i64 [0, %entry], [%next, %loop]"]
    chains = range(_CHAINS)
    lines += [f"%a{c} = phi {sums} [%s, %entry], [%b{c}, %loop]" for c in chains]
    for c in chains:
        order = [f"{factor} %f", f"{factor} %f"]
        order.insert(2 if unit == "f32" else 0, f"{sums} %a{c}")
        lines.append(f"%b{c} = call {sums} @{name}({', '.join(order)})")
    lines += ["%next = add i64 %i, 1", "%more = icmp slt i64 %next, %n"]
    lines += ["br i1 %more, label %loop, label %end", "end:"]
    lines += [f"store volatile {sums} %b{c}, ptr %out, align 1" for c in chains]
    return "\n".join([f'target triple = "{cpu.triple_and_layout()[0]}"', *lines, "ret void", "}"])


def _seconds(run: Callable[[], object], repeat: int) -> Iterator[float]:
    run()
    for _ in range(repeat):
        start = time.process_time()
        run()
        yield time.process_time() - start
