"""What the reducer tries: each pass lists units, small changes that may make a module smaller.

candidate.py    the module that units change
functions.py    functions, globals, parameters go
ops.py          ops go, or their results are other values
regions.py      branches and loop bodies take the place of their ops; carried values go
types.py        extents and element types become smaller
attributes.py   attributes and constants become plain; operands that may be absent are
naming.py       locations, hints and names go

`tileir.reduce.table` has the order.
"""
