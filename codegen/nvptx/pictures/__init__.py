"""What pictures of kernels are drawn from: small numbers, read off the block IR and its layouts."""
