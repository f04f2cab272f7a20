"""The rules of Tile IR that rows of the op table cannot say, one file for each chapter."""
