"""`tileir.variants`: one kernel compiled in many ways, ordered by what the machine code takes.

A space says which options of `tileir.compile` and which constants of a frontend there are to choose
among. Each configuration of it is compiled in a supervised child, like any job of a batch, and
either has figures or a reason why it was dropped. Nothing is timed here.

space.py      what there is to choose among, and all configurations of it
measuring.py  what the child does with one of them
figures.py    the figures of a variant, and the order that they make
varying.py    all of it, as a function
table.py      the result as text
collected.py  the same of the records of a batch, for `tileir batch compile --set`
"""
