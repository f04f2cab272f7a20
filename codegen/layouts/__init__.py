"""Layouts: which thread holds which element of a tile, as linear algebra over GF(2)."""
