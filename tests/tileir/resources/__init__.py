"""Tests of `tileir.resources`: what compiled kernels take of a GPU."""
