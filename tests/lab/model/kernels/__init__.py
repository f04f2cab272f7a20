"""Random kernels that have a meaning, for comparing code generators with the model."""
