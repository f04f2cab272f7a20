"""What is said about launches of a kernel, and where its instructions come from in source."""
