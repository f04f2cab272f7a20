"""Modules changed at random: `mutating.mutate` makes other valid ones from a valid one."""
