"""Kernels on random numbers: what ops compute, as far as numbers tell, whatever they are called."""
