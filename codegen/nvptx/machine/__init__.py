"""Instructions of NVIDIA GPUs: accesses, asynchronous copies, matrix products, updates in memory."""
