"""Random edit scripts: what edits of modules promise, tried on many modules and many seeds."""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
