"""Weaknesses put into kernels by machine, and whether `tileir advise` finds them where they are."""
