"""How products of warpgroups follow one another: which depend on others, and what they read."""
