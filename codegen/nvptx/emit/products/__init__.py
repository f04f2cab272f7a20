"""Matrix products: operands staged in shared memory, rings that are filled ahead, atoms."""
