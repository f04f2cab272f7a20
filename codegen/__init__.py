"""Code generation: from Tile IR to machine code, for the host's CPU and for NVIDIA GPUs.

This is the only package that needs llvmlite (the extra `codegen`); reading, verifying and printing
bytecode do not.
"""

if __name__ != "tileir.codegen":
    raise ImportError("import this package as tileir.codegen")

from .api import Compilation, compile

__all__ = ["Compilation", "compile"]
