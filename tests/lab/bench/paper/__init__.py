"""A model on paper: how fast loops of products may be on Hopper, and what limits them."""
