"""How a breakpoint in a kernel is written in bytecode: as a print of this text."""

MARK = "tileir.breakpoint()\n"
