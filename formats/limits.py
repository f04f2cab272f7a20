"""Bounds on hostile input, checked before anything is allocated or recursed into.

Sizes and counts need no constants: each is compared with the bytes that are left.
"""

MAX_VARINT_BYTES = 10
"""A 64-bit LEB128 value never needs more."""

MAX_REGION_DEPTH = 256
"""Regions inside regions. Compilers emit about ten; NVIDIA's reader overflows near 3500."""

MAX_ATTRIBUTE_DEPTH = 64
"""Arrays and dictionaries inside each other. Files need two (architecture, then hint)."""

MAX_TYPE_DEPTH = 64
"""Types inside types. The deepest legal one is a view of a tensor view of a scalar."""

MAX_TAG = 255
"""Largest type, attribute or debug tag; NVIDIA's readers silently reduce larger ones modulo 256."""

MAX_TILE_ELEMENTS = 1 << 24
"""Elements of one tile; a rule of Tile IR."""
