"""The commands of `tileir`. Each imports what it needs when it runs."""
