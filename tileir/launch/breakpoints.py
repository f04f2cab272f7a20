"""Where a kernel stops on the host, as far as frontends and commands know about it."""

MARK = "tileir.breakpoint()\n"
"""How a breakpoint is written in bytecode: as a print of this text."""

BREAKS = ("assert", "finding")
"""What a launch may stop at: an assertion of the kernel that is false; what a check finds."""
