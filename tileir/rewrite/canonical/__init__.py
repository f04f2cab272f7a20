"""Canonical forms: ops of which the result is known, or that another op says more simply.

`rules` lists what is done, each with the reason why it is exact. `arithmetic` and `conversions`
compute one element, on bit patterns in Python's integers, `tiles` moves elements, `identities` are
the rules that need no constant operand or only one, `branches` is about regions.
"""
