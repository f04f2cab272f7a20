"""Transforms: rewrites of a kernel's body that preserve what it computes."""
