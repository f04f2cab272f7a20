"""What tileir says of itself to programs: schemas of its JSON, shell completion, a page for agents.

Everything here is made from what exists anyway: the parsers of the commands, docstrings, tables.
"""
