"""`tileir samples`: kernels and programs to try tileir on, which an installed tileir has, too.

`table.py` lists them. A checkout has them as fixtures and examples; hatch_build.py puts them into
`files/` of a wheel.
"""
