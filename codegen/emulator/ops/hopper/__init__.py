"""Instructions since sm_90: mbarriers, bulk and tensor copies, clusters, warpgroups."""

from . import bulk, mbarriers, tensors

__all__ = ["bulk", "mbarriers", "tensors"]
