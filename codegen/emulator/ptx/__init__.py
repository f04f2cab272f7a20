"""What the text of a PTX file says: statements, types, basic blocks, and what names mean."""
