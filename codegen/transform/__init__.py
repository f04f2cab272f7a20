"""Rewrites of a kernel's body, each of which keeps what the kernel computes."""
