"""The text of a PTX file: statements, types, basic blocks, and the names in it."""
