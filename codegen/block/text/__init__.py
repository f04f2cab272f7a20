"""The text of the block IR, both ways.

A text is a `block_module`: the names of layouts and offsets, then kernels. `printing` prints it and
`reading` reads it; `aliases` gives the names.
"""
