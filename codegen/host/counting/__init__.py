"""Counting: a lowering that tells what a kernel reads, writes and computes, while it runs."""
