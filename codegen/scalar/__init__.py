"""What ops do to one element, written once for every target.

Values: integers are iN; f16, f32 and f64 LLVM's own types; every other float is the integer that
holds its bits (llvmlite has no bfloat); tf32 is the i32 with the bits of the f32 it stands for; a
pointer is its address as an i64, which keeps LLVM from analysing gathers at quadratic cost.
"""
