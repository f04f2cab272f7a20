"""The cache of compilations: many processes on one folder, killed at will; what it saves."""
