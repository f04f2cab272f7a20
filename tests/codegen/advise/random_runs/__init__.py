"""Tests of `tileir.codegen.advise.random_runs`."""
