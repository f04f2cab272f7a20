"""Tile IR as text: printed as NVIDIA's disassembler prints it, and read back."""
