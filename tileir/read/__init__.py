"""Reading: bytes to IR. The tables of a file, its functions, and the decoding of their bodies."""
