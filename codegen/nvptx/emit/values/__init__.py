"""Ops that compute or rearrange the elements of tiles."""
