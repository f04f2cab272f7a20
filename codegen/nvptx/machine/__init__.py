"""Instructions of NVIDIA GPUs: accesses, copies, matrix products, updates in memory."""
