"""Counters of a launch: what its instructions ask of memory, beyond what they do."""
