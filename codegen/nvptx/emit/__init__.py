"""From ops to LLVM IR for NVPTX: fragments of tiles, and moves between their layouts."""
