"""Python runs this module at start if its folder is on the path: see `tileir.cutile.children`."""

from tileir.cutile.children import join

join()
