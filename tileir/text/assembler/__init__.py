"""Text to bytecode: reads what NVIDIA's disassembler prints, and MLIR's spelling of the same.

`assemble` is the way in. `lexer` knows words; `types`, `attributes`, `numbers`, `dense` and
`locations` what is built of them, `extents` how much that may be; `operations` ops by the assembly
format of their row, `slots` their attributes, `structured` ops that hold regions, `results` what
all have in common; `body` names and blocks, `module` the rest.
"""

from .assembly import assemble

__all__ = ["assemble"]
