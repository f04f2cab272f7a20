"""`tileir advise`: what would make kernels faster; its rules are in `codegen/advise/`."""
