"""The memory that threads access: bounds, alignment, bytes never written, and races."""
