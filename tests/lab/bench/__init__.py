"""Benchmarks: kernels, their machine code, and their times on GPUs."""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
