"""Sphinx's configuration of the documentation.

    python -m sphinx -W --keep-going docs docs/_build/html

needs the extra ``docs`` and takes about a minute. Nothing is downloaded, and nothing is written but
that folder: what is made from the sources of truth (`from_sources`) never becomes a file.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import tileir  # noqa: E402  its folder comes first

project = "tileir"
author = "the authors of tileir"
copyright = "the authors of tileir, Apache-2.0"
version = release = tileir.__version__

extensions = ["myst_parser", "sphinx_design", "from_sources"]
exclude_patterns = ["_build"]
root_doc = "index"
nitpicky = True
keep_warnings = True

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"tileir {release}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["tileir.css"]
pygments_style = "friendly"
pygments_dark_style = "monokai"
