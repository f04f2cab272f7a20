"""Launches on a GPU, through the CUDA driver.

`launch.py` launches a kernel on a GPU; `driver.py` has the few driver calls for that, through
NVIDIA's bindings for Python (the extra `gpu`).
"""
