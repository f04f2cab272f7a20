"""What `tileir resources` says, held against NVIDIA's own words: cuobjdump, ptxas, the runtime."""
