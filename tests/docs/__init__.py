"""Tests of README and the documentation."""
