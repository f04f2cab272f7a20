"""Clusters of two blocks that work on a tile block together."""
