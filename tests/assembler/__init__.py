"""Tests of the assembler."""
