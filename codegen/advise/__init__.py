"""Advice: what keeps a kernel from being fast, and what a change would give.

A rule (`rules.py`) looks at remarks of the compiler, at what ptxas says, or at the launch, and
names a static figure (`figures.py`). Most rules have a trial (`trials/`): an edit of a copy of the
module that is compiled, too. What does not improve the figure of a rule is no finding.
"""
