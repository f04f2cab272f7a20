"""What this machine has, what it can do with Tile IR, and what to install for the rest.

Nothing here is imported but by `tileir doctor`. `packages.py`, `nvidia.py` and `ours.py` look,
`report.py` concludes.
"""
