"""Which releases of NVIDIA's cuTile programs were run with here."""

VERSIONS = ("1.5.0", "1.6.0", "1.7.0")
"""The versions of the package cuda-tile that programs were run with."""
