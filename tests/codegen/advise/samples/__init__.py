"""Tests of `tileir.codegen.advise.samples`."""
