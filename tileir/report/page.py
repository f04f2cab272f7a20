"""One page that holds everything: shell, style and script are constant, the model differs.

The model is JSON in LZMA and base64, which no parser of HTML can take for anything else. The policy
in the page lets the browser run this script and this style, by their hashes, and fetch nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from tileir.errors import BuildError, MissingPackageError
from tileir.formats.forks import not_forking

CLIENT = Path(__file__).parent / "client"

SCRIPTS = (
    "text",
    "lzma",
    "data",
    "list",
    "hex",
    "tree",
    "lines",
    "tables",
    "linked",
    "source",
    "diff",
    "listing",
    "forms/arrangement",
    "forms/code",
    "forms/cost",
    "forms/stack",
    "forms/stages",
    "pictures/svg",
    "pictures/layout",
    "pictures/cells",
    "pictures/tiles",
    "pictures/fragments",
    "pictures/pipeline",
    "pictures/footprints",
    "pictures/view",
    "kernels",
    "strip",
    "search",
    "print",
    "view",
    "start",
)
"""The parts of the script, in order."""

STYLES = ("report", "forms/forms")
"""The parts of the style, in order."""

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'"
"""The policy of a page that may do nothing: what it may do is said behind it."""

LARGEST = 256 << 20
"""Most bytes of a model as JSON: what the script expands (`LARGEST` in `client/data.js`)."""

FAR = 1 << 23
"""Most bytes over which repetitions in a model are found: kernels of a module are much alike. To
pack takes about twelve times as much memory."""

THOROUGH = 1 << 24
"""Models with more bytes are packed in a quarter of the time, and take a third more room."""


@cache
def script() -> str:
    """Return the script, which offers ``TileIRReport.draw(model, element)``."""
    parts = "\n".join((CLIENT / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def style() -> str:
    """Return the style, whose rules are all below the class ``report``."""
    return "\n".join((CLIENT / f"{name}.css").read_text("utf-8") for name in STYLES)


def policy() -> str:
    """Return the content security policy of a page."""
    return f"{NOTHING}; script-src {hashed(script())}; style-src {hashed(style())}"


def hashed(text: str) -> str:
    """Return what in a policy allows a script or a style that has this text."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def as_json(model: dict[str, Any]) -> str:
    """Return a model as JSON; lone surrogates and all that is not ASCII are escapes."""
    return json.dumps(model, separators=(",", ":"))


def compressor() -> ModuleType:
    """Return lzma of the standard library; MissingPackageError for a Python without it."""
    try:
        with not_forking:
            import lzma
    except ImportError as error:
        raise MissingPackageError(
            "a page needs lzma of the standard library, which this Python was built without; "
            "--json writes the model"
        ) from error
    return lzma


def packed(model: dict[str, Any]) -> str:
    """Return a model as the script expects it (`client/lzma.js`).

    BuildError if it is larger than that expands; MissingPackageError for a Python without lzma.
    """
    data = as_json(model).encode("ascii")
    if len(data) > LARGEST:
        raise BuildError(
            f"the report would hold {len(data)} bytes of JSON, and a browser is given at most "
            f"{LARGEST}; --json writes them without a page"
        )
    lzma = compressor()
    options = {"lc": 3, "lp": 0, "pb": 0, "dict_size": min(max(len(data), 4096), FAR)}
    preset = 6 if len(data) <= THOROUGH else 3
    filters = [{"id": lzma.FILTER_LZMA1, "preset": preset, **options}]
    text = lzma.compress(data, format=lzma.FORMAT_ALONE, filters=filters)
    return base64.b64encode(text).decode("ascii")


def page(model: dict[str, Any]) -> str:
    """Return the page of a model, as HTML."""
    shell = (CLIENT / "shell.html").read_text("utf-8")
    parts = {
        "policy": policy(),
        "style": style(),
        "script": script(),
        "data": packed(model),
    }
    for name, text in parts.items():
        before, after = shell.split(f"{{{name}}}")
        shell = f"{before}{text}{after}"
    return shell
