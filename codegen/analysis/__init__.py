"""Rewrites and analyses of tile-level SSA, one a file; `pipeline` says in which order."""
