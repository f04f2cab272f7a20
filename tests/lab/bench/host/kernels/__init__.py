"""Kernels in cuTile that only the CPU's benchmark has; others are those of GPUs' workloads."""
