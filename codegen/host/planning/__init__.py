"""Decisions about a kernel before code for the CPU is emitted: fusion and buffers."""
