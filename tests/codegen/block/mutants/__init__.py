"""Defects put into block IR between two stages, and who notices: its verifier, or the emulator.

A *class* of defects is one that a stage could have (`barriers`, `clusters`, `copies`, `delays`,
`layouts`, `orders`, `places`, `products`, `roles`, `stores`); its *sites* are where it can be put.
`kernels` has the kernels, with arguments and what NumPy expects; `trial` compiles a kernel with one
defect, and says who noticed.
"""

from . import barriers, clusters, copies, delays, layouts, orders, places, products, roles, stores

__all__ = [
    "barriers",
    "clusters",
    "copies",
    "delays",
    "layouts",
    "orders",
    "places",
    "products",
    "roles",
    "stores",
]
