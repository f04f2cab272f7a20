"""Sequences of instructions that several chapters of `emit` are made of."""
