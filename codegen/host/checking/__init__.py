"""Checks that a kernel makes while it runs, if they are asked for."""
