"""Memory of a block: who accesses it, where barriers and fences order that, where areas lie."""
