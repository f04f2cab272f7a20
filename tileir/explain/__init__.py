"""Explanations of a file: every byte with its meaning, and the ops as a tree in JSON."""
