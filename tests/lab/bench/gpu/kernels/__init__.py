"""Kernels that only a GPU is measured with: tiles for Hopper, and attention with shared heads."""
