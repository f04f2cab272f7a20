"""Emitters for one element of element-wise ops, written once for all targets.

Integers are iN in LLVM; f16, f32 and f64 have LLVM's types; every other float is the integer with
its bits (llvmlite has no bfloat); tf32 is an i32 with the bits of an f32; a pointer is its address
as an i64, which keeps LLVM from analysing gathers at quadratic cost.
"""
