"""What may be passed to a launch, wherever the kernel runs."""
