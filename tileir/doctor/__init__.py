"""The report of `tileir doctor`: what this machine has and can do, and what to install.

Only that command imports this package. `packages.py`, `nvidia.py` and `self_checks.py` examine the
machine, and `report.py` draws conclusions.
"""
