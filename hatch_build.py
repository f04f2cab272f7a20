"""Wheels have the samples; editable installs find the checkout, whose other folders stay unknown.

Hatchling puts folders on the search path, and that of a checkout would offer `tests`, `fixtures`,
`formats` and `codegen` to every program. Here a module in site-packages, which Python imports at
its start, says where tileir is. Wheels get the samples, which a checkout keeps elsewhere. The long
description is README.md, whose links to files of the checkout lead nowhere on a package index.
"""

from __future__ import annotations

import re
import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

MODULE = "_tileir_checkout"

FINDER = '''\
"""Finds tileir in its checkout, of which this is an editable install."""

import sys
from importlib.machinery import PathFinder


class Checkout:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [{folder!a}]) if name == "tileir" else None


sys.meta_path.append(Checkout)
'''


class Additions(BuildHookInterface):
    """Adds the samples to a wheel, and that module to an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the samples; if the install is editable, the module and the line that imports it."""
        if version == "editable":
            self.folder = tempfile.TemporaryDirectory()
            texts = {".py": FINDER.format(folder=self.root), ".pth": f"import {MODULE}\n"}
            for suffix, text in texts.items():
                path = Path(self.folder.name, MODULE + suffix)
                path.write_text(text, encoding="utf-8")
                build_data["force_include_editable"][str(path)] = path.name
        else:
            table = runpy.run_path(str(Path(self.root, "tileir", "samples", "table.py")))
            for name in table["SAMPLES"]:
                source = str(Path(self.root, table["in_checkout"](name)))
                build_data["force_include"][source] = f"tileir/samples/files/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written."""
        if version == "editable":
            self.folder.cleanup()


class LongDescription(MetadataHookInterface):
    """Makes the long description of README.md."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Enter it; `folder-url` of the hook's table in pyproject.toml is where links lead."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, self.config["folder-url"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def with_absolute_links(text: str, folder_url: str) -> str:
    """Return Markdown whose links to files of the checkout lead into that folder on a host.

    Without a folder, links become their words, and pictures go.
    """

    def absolute(link: re.Match[str]) -> str:
        picture, words, path = link.groups()
        if not folder_url:
            return "" if picture else words
        raw = "?raw=true" if picture else ""  # a host shows its own page of a picture, without
        return f"{picture}[{words}]({folder_url.rstrip('/')}/{path}{raw})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [LINK.sub(absolute, part) for part in parts[::2]]
    return "".join(parts)
