"""Launches on a GPU, through the CUDA driver.

`launch.py` is what a launch of a kernel for a GPU comes down to; `driver.py` has the few calls of
the driver that it takes, on NVIDIA's bindings for Python (the extra `gpu`).
"""
