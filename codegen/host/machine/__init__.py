"""The CPU as LLVM describes it, and machine code for it."""
