"""What is done with modules beside reading, writing and running them, and NVIDIA's tools."""
