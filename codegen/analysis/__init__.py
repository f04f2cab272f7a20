"""Analyses: facts about a kernel's values, addresses, memory accesses and reductions."""
