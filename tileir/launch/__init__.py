"""Attributes of launches that bytecode cannot hold, and memory passed to launches by address."""
