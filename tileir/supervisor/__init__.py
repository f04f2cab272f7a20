"""Work in a process of its own, which may be killed: one child, limits of time and memory.

    with Supervisor("package.module:function", seconds=60, memory=4 << 30) as supervisor:
        answer = supervisor.call(data, "what messages call it")

The function takes bytes and returns bytes, and nothing but bytes goes through the pipes: what they
mean is the function's business, nothing is pickled. A child that takes too long or too much memory,
or crashes, is killed and replaced; the call is a `WorkerError` that names what it worked on.

frames.py       what goes through the pipes
memory.py       the limit of memory
inside.py       what the child does
child.py        the child as its parent sees it
supervising.py  calls, limits, replacements
"""

from .supervising import CALLS, Supervisor

__all__ = ["CALLS", "Supervisor"]
