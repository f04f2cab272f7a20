"""What a prepared folder takes along to a machine with a GPU: Python, NumPy and a driver suffice.

Nothing here imports tileir. PyTorch and Triton are asked for what else computes the same, if they
are there.
"""
