"""Instructions since sm_90: mbarriers, bulk and tensor copies, clusters, registers of warpgroups."""

from . import mbarriers

__all__ = ["mbarriers"]
