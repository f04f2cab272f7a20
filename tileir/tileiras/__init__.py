"""In the place of tileiras, NVIDIA's compiler of Tile IR: its command line, answered by ours.

`program.py` is what a launcher runs (`tileir.tools.launchers` has its text); `options.py` lists
which options are taken, and who passes them; `compiler.py` makes cubins, and words errors as
tileiras does; `identity.py` is what `--version` prints.

It is compile-only. A frontend that launches such a cubin as one of NVIDIA's is refused by the
driver, because it launches one thread for each block and leaves the rest to what only tileiras'
cubins carry. Launches take our plan: `tileir.cutile.install(compiler="tileir")`.
"""
