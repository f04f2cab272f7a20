"""Launches: loading PTX, packing arguments, and running blocks until every thread has ended."""
