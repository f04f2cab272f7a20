"""Random edit scripts: what edits of modules promise, tried on many modules and many seeds."""
