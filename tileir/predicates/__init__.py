"""What is looked for in a module: predicates that `tileir reduce` and `tileir bisect` ask.

    with_crash = Crashes("tileiras:sm_90")
    with_crash.holds(data)

A predicate answers yes or no about the bytes of a file, whatever they are, and comes back within
its limits of time and memory. It keeps nothing from one file to the next, so many threads may ask
one predicate at once, and processes may be handed a copy (`pickle`).

predicate.py           the protocol
toolkit.py             where NVIDIA's tools are taken from
programs.py            other programs, under limits
interestingness.py     --test CMD: another program decides
options.py             the options of commands
"""

from .interestingness import InterestingnessTest
from .predicate import Predicate
from .toolkit import Toolkit

__all__ = ["InterestingnessTest", "Predicate", "Toolkit"]
