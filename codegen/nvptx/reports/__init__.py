"""What is told of kernels in block IR: remarks, the schedules of loops, what barriers order."""
