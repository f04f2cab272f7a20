"""Roles: a producer warp copies what the other warps of a block multiply."""
