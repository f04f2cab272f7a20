"""The instructions of warpgroups, which are four warps: products of matrices in shared memory."""

from . import products

__all__ = ["products"]
