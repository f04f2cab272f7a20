"""What is said about launches beside the bytecode, and memory that is passed to them by address."""
