"""From bytes to IR: the tables of a file, its functions, and the decoding of their bodies."""
