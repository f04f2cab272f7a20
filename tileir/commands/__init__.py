"""The commands that are not about reading. Each imports what it needs when it runs."""
