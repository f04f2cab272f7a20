"""Readers of everything but ops: types, attributes, numbers, constants, locations, aliases."""
