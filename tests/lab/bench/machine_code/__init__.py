"""Machine code for GPUs, ours beside that of tileiras: instructions counted, loops compared."""
