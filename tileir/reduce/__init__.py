"""`tileir reduce`: a module made small while something holds of it, for reports of defects.

    from tileir.reduce import reduce
    reduced = reduce(data, predicate)
    reduced.data

Passes list small changes of a module (`table.py`). Many are tried at once, then half of them, and
so on, as delta debugging does it; what the predicate still holds of is kept. A trial is a function
of bytes: it reads the module, makes the changes, verifies and writes it, and asks.

passes/        what is tried
table.py       the passes in their order
edit.py        changes of a function that are made together
stand_ins.py   values in the place of those that are gone
measure.py     which of two modules is the smaller one
trial.py       one trial
search.py      which trials are made, and which one is taken
reduction.py   the function, and what it returns
report.py      the text to paste into a report
command.py     the command
"""

from .reduction import NotInterestingError, Reduced, reduce

__all__ = ["NotInterestingError", "Reduced", "reduce"]
