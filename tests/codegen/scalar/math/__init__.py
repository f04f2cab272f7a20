"""Tests of the math library, and the command that measures its errors."""
