"""Tools beside reading, writing and running: the sampler of modules, and NVIDIA's own tools."""
