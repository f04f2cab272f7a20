"""What is looked for in a module: predicates that `tileir reduce` and `tileir bisect` ask.

    crash = Crashes(Subject.of("tileiras:sm_90"))
    crash.holds(data)

A predicate answers yes or no about the bytes of a file, whatever they are, and comes back within
its limits of time and memory. It keeps nothing from one file to the next, so many threads may ask
one predicate at once, and processes may be handed a copy (`pickle`).

predicate.py        the protocol
toolkit.py          where NVIDIA's tools are taken from
programs.py         other programs, under limits
children.py         our own functions, under limits
running.py          what runs now, and how it ends early
answer.py           what somebody says of a file
ours.py             what our own tools answer, in a child
arguments.py        arguments for any kernel
close.py            values that are as good as equal
subjects.py         who can be asked: one table
crashes.py, differs.py, says.py, interestingness.py
                    the predicates
options.py          the options of commands
"""

from .crashes import Crashes
from .differs import Differs
from .interestingness import InterestingnessTest
from .predicate import Explaining, Predicate, Verdict
from .programs import Limits
from .says import Says
from .subjects import Bench, Subject
from .toolkit import Toolkit

__all__ = [
    "Bench",
    "Crashes",
    "Differs",
    "Explaining",
    "InterestingnessTest",
    "Limits",
    "Predicate",
    "Says",
    "Subject",
    "Toolkit",
    "Verdict",
]
