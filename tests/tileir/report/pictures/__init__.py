"""What pictures of kernels are drawn from."""
