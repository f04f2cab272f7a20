"""`tileir resources`: registers, shared memory, spills and occupancy of compiled kernels."""
