"""Rewrites of a kernel's body."""
