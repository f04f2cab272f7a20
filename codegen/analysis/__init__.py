"""What is known of a kernel before it runs: numbers, addresses, neighbours, memory, reductions."""
