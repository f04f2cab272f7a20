"""What is in the folder of a playground, file by file."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from importlib import import_module, metadata
from pathlib import Path

import tileir
from tileir.formats.forks import not_forking
from tileir.formats.version import SUPPORTED
from tileir.report.page import script, style
from tileir.samples.command import content
from tileir.samples.table import SAMPLES
from tileir.text.textmate import grammar

from .policy import PAGE_POLICY, headers_file
from .runtime import PACKAGE, SOURCE, VERSION

CLIENT = Path(__file__).parent / "client"

MANIFEST = "playground.json"
"""The file that lists all others, by which a folder is known to be a playground."""

PACKAGES = ("tileir", "tileir.formats", "tileir.codegen", "construct")
"""What is in the archive, laid out as a wheel, wherever it lies here."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)

FIRST = "13.4/vector_add.tileirbc"
"""The example at the top of the list."""


def archive() -> bytes:
    """Return this library and construct as an archive that Python in the browser unpacks."""
    found: dict[str, bytes] = {}
    for package in PACKAGES:
        with not_forking:
            root = Path(import_module(package).__path__[0])
        prefix = package.replace(".", "/")
        for path in sorted(root.rglob("*.py")):
            found[f"{prefix}/{path.relative_to(root).as_posix()}"] = path.read_bytes()
    for name in ("tileir", "construct"):
        found[f"{name}/LICENSE"] = _licence(name).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name in sorted(found):
            written.writestr(zipfile.ZipInfo(name, _LONG_AGO), found[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _licence(name: str) -> str:
    """Return the text of the licence of an installed package."""
    for file in metadata.files(name) or ():
        if file.name.upper().startswith("LICENSE"):
            return Path(str(file.locate())).read_text("utf-8")
    return metadata.metadata(name)["License"] or ""


NOTICE = f"""\
What this folder is made of, and under which licences.

tileir {tileir.__version__}
    This page and the library in tileir.zip. Apache License 2.0: tileir/LICENSE in tileir.zip.

construct {metadata.version("construct")}
    In tileir.zip. MIT License: construct/LICENSE there. https://github.com/construct/construct

Pyodide {VERSION}, with CPython
    In pyodide/, unchanged, from the npm package {PACKAGE}. Mozilla Public License 2.0:
    https://mozilla.org/MPL/2.0/. Its source: {SOURCE}
    CPython is under the Python Software Foundation License: https://docs.python.org/3/license.html
"""


def files(runtime: dict[str, bytes]) -> dict[str, bytes]:
    """Return all files of a playground by their paths, given those of Pyodide."""
    made = {path.name: path.read_bytes() for path in sorted(CLIENT.iterdir()) if path.is_file()}
    made["index.html"] = made["index.html"].replace(b"{policy}", PAGE_POLICY.encode())
    made["report.js"], made["report.css"] = script().encode(), style().encode()
    made["grammar.json"] = json.dumps(grammar()).encode()
    made["examples.json"] = json.dumps(_examples(made)).encode()
    made["tileir.zip"] = archive()
    made["_headers"] = headers_file().encode()
    made["NOTICE.txt"] = NOTICE.encode()
    made |= {f"pyodide/{name}": data for name, data in runtime.items()}
    digests = {name: hashlib.sha256(made[name]).hexdigest() for name in sorted(made)}
    manifest = {"tileir": tileir.__version__, "pyodide": VERSION, "files": digests}
    made[MANIFEST] = json.dumps(manifest, indent=1).encode()
    return made


def _examples(made: dict[str, bytes]) -> dict[str, list]:
    """Add the samples to the files; return what the page says of them, and the versions."""
    names = [name for name in SAMPLES if not name.endswith(".py")]
    names.sort(key=lambda name: name != FIRST)
    for name in names:
        made[f"examples/{name}"] = content(name)
    rows = [{"name": name, "text": SAMPLES[name]} for name in names]
    return {"examples": rows, "versions": [str(version) for version in SUPPORTED]}
