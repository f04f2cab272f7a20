"""Checks and conversions of the grid and arguments of a launch, on any target."""
