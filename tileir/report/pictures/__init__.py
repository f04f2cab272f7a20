"""What the pictures of a page are drawn from: of kernels on a GPU, and of launches."""
