"""Tests of `tileir.stats`: what is in a module, and the work of its kernels."""
