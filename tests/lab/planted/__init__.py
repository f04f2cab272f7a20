"""Defects planted by machine, in modules of 2,000 ops, for the reducer to find.

    python -m tests.lab.planted

patterns.py       a compiler that crashes where it meets some ops
fake_compiler.py  the same as a program, which dies of it
values.py         one target computes something else
verdicts.py       two verifiers disagree
defects.py        the table of all
"""
