"""Instructions since sm_90: mbarriers, bulk and tensor copies, clusters, warpgroups."""

from . import bulk, clusters, mbarriers, tensors

__all__ = ["bulk", "clusters", "mbarriers", "tensors"]
