"""CPython for WebAssembly: the files of Pyodide's npm package that a browser needs.

npm fetches the package, of one version, whose digest has to be the one here. Nothing of it is part
of this project; it is under the Mozilla Public License 2.0.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tileir.command_line.exit_codes import UsageError
from tileir.errors import ToolError

PACKAGE, VERSION = "pyodide", "314.0.7"
INTEGRITY = (
    "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyM"
    "cWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
"""The digest of the package, as npm writes it into lock files."""

FILES = (
    "package.json",
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
"""What is taken of it."""

SOURCE = f"https://github.com/pyodide/pyodide/tree/{VERSION}"
SECONDS = 600
"""How long npm may take."""


def files(given: Path | None) -> dict[str, bytes]:
    """Return the files of Pyodide, from where npm has installed it, or else fetched by npm."""
    return from_npm() if given is None else from_folder(given)


def from_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of an installed package. UsageError if it is another one, or not whole."""
    try:
        found = {name: (folder / name).read_bytes() for name in FILES}
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise UsageError(f"{folder} is no npm package {PACKAGE}: it has no {missing}") from None
    try:
        stated = json.loads(found["package.json"])
        has = f"{stated['name']} {stated['version']}"
    except (ValueError, TypeError, KeyError):
        raise UsageError(f"{folder} is no npm package: its package.json is none") from None
    if has != f"{PACKAGE} {VERSION}":
        raise UsageError(f"{folder} is {has}, and {PACKAGE} {VERSION} is needed")
    return found


def from_npm() -> dict[str, bytes]:
    """Return the files, fetched by npm. ToolError if there is no npm, or it fails."""
    npm = shutil.which("npm")
    if npm is None:
        raise ToolError(f"npm is not installed, which fetches {PACKAGE}; or use --pyodide FOLDER")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"{PACKAGE}@{VERSION}", f"--pack-destination={folder}"]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                cwd=folder,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise ToolError(f"npm pack took more than {SECONDS} s") from None
        packed = sorted(Path(folder).glob("*.tgz"))
        if done.returncode or not packed:
            lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
            told = (lines or done.stderr.strip().splitlines() or ["it says nothing"])[0]
            raise ToolError(f"npm pack {PACKAGE}@{VERSION} failed: {told}")
        return unpacked(packed[0].read_bytes())


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files in a package. ToolError if it is not the one that is expected."""
    digest = base64.b64encode(hashlib.sha512(data).digest()).decode("ascii")
    if f"sha512-{digest}" != INTEGRITY:
        raise ToolError(f"what npm calls {PACKAGE} {VERSION} has another digest: sha512-{digest}")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {name: _member(archive, f"package/{name}") for name in FILES}


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise ToolError(f"{name} of {PACKAGE} {VERSION} is no file")
    return file.read()
