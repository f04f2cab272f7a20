"""Edits that rules try out: each changes a copy of a module as its author might change it."""
