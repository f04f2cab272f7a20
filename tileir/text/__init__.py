"""Tile IR as text: the printer, whose text is that of NVIDIA's disassembler, and the assembler."""
