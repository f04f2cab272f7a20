"""Loads, stores and atomics: views, pointers, variables, multicast memory, the heap."""
