"""Python runs this at its start where the folder is on its path: see `tileir.cutile.children`."""

from tileir.cutile.children import join

join()
