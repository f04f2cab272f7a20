"""Tests of `tileir.samples`: what it writes, and what wheels have."""
