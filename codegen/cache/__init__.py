"""Compiled modules on disk: the folder, the key of a module, and the files."""
