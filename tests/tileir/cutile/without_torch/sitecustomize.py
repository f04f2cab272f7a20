"""On the path of a process: torch is not installed there."""

import sys

sys.modules["torch"] = None
