"""Lowering of what is under way while threads go on: copies, products of warpgroups, roles."""
