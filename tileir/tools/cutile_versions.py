"""The supported releases of NVIDIA's cuTile."""

VERSIONS = ("1.5.0", "1.6.0", "1.7.0")
"""The versions of the package cuda-tile with which `tileir.cutile` was tested."""
