"""The rules of Tile IR that the op table cannot express, one file for each of its chapters."""
