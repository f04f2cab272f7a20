"""Tests of `tileir.codegen.advise.trials`."""
