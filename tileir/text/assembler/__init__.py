"""The assembler: it reads the text of NVIDIA's disassembler, and MLIR's spelling of the same.

`assemble` is the entry point. `lexer` reads tokens; `literals/` types, attributes, numbers,
constants and locations; `operations` ops by the assembly format of their row, `slots` their
attributes, `structured` ops with regions, `results` what all ops have in common; `body` names and
blocks, `module` everything outside of entries.
"""

from .assembly import assemble

__all__ = ["assemble"]
