"""What a constant of a gigabyte costs to whoever does not look at it: address space."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from .modules import huge_constant
from .timing import fresh

OPENING = """
import json, mmap, os, sys, time
from pathlib import Path
from tileir import Bytecode

def resident():
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux: the peak, which is as good for growth
        import resource
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

Bytecode.parse(Path(sys.argv[2]).read_bytes()).touch()  # imports and generated code are not meant
before = resident()
start = time.process_time()
with open(sys.argv[1], "rb") as file:
    data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
bytecode = Bytecode.parse(data)
opened, after_open = time.process_time() - start, resident()
bytecode.touch()
size = len(bytecode.constants[0].data)
print(json.dumps({
    "constant": size, "seconds": opened, "touched": time.process_time() - start,
    "open": after_open - before, "touch": resident() - before, "before": before,
}))
"""


class Growth(NamedTuple):
    """Opening a file with a huge constant: sizes and growth in bytes, CPU seconds."""

    constant: int
    seconds: float
    touched: float
    open: int
    touch: int
    before: int


def measure(folder: Path, size: int, repeat: int) -> Growth:
    """Open a constant of `size` bytes from mmap, in a process that has read a small file before."""
    huge, small = folder / "huge.tileirbc", folder / "small.tileirbc"
    huge_constant(huge, size)
    huge_constant(small, 8)
    return Growth(**fresh(OPENING, huge, small, repeat=repeat))
