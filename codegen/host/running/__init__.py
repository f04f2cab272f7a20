"""Launches on the CPU: arguments, threads, and what a running kernel reports."""
