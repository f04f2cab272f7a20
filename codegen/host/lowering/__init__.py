"""Lowers ops to LLVM IR for the CPU: loops over the elements of tiles."""
