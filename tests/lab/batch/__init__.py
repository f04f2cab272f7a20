"""Batches of many thousand modules: speed-up, what a task costs besides its work, memory, clusters.

`modules` makes many modules out of a folder, `once` runs one batch in a process of its own and says
what it took, `python -m tests.lab.batch` prints tables of that.
"""

from tests.lab.extras import need

need("construct", "llvmlite", "numpy")
