"""Forty cuTile kernels on this CPU beside torch and NumPy: ``python -m tests.lab.bench host``."""
