"""What measures the tests and the product, rather than testing it: tools that run for a while."""
