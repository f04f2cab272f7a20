"""Kernels of cuTile on a GPU, compiled by tileir: cuTile, torch and the driver stay what they are.

cuTile asks a compiler for a cubin, and the driver to launch it with one thread for each block and
no shared memory; NVIDIA's driver takes the rest from what only tileiras' cubins carry. Here the
compiler is ours (`compiler.py`), and what it makes is launched as our plan says: `driver.py` stands
between cuTile and the driver, and changes calls about our kernels, and no others.
"""
