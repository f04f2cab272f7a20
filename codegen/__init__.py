"""Compiles and runs kernels: tile-level SSA to machine code, for the host CPU and NVIDIA GPUs.

This is the only package that needs llvmlite (the extra `codegen`); reading, verifying and
printing bytecode do without.
"""

if __name__ != "tileir.codegen":
    raise ImportError("import this package as tileir.codegen")

from .api import Compilation, compile

__all__ = ["Compilation", "compile"]
