"""`tileir resources`: registers, shared memory, spills and occupancy of compiled kernels.

Programs call `of_kernels.resources_of`, with what `tileir.compile` returned or with the bytes of a
cubin, and get a list of `kernel_resources.KernelResources`; `baseline` compares those with a file.
"""
