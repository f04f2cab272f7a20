"""Kernels on a GPU beside those of others: what is prepared here, and what runs there (`kit`)."""
