"""The CPU as LLVM sees it, and machine code for it."""
