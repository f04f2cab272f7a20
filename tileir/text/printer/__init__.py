"""The printer: Tile IR as text, byte for byte as NVIDIA's disassembler prints it.

`disassembly` puts a module together from `functions` (kernels), `operations` (ops by the assembly
format of their row), `structured` (ops with a syntax of their own), `names` (SSA names), `values`
(attributes and constants), `numbers` (floating-point text) and `locations` (debug information).
"""

from __future__ import annotations

from .disassembly import disassemble

__all__ = ["disassemble"]
