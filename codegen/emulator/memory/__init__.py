"""The memory that threads access: bounds, alignment, what was written, and what orders accesses."""
