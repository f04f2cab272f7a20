"""Passes that make the block IR and rewrite it, in the order of `pipeline.STAGES`."""
