"""PTX instructions: accesses of memory, asynchronous copies, matrix products, reductions."""
