"""`tileir samples`: list the samples, or write them into a folder."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import write_output
from tileir.messages.wording import counted

from .table import SAMPLES, in_checkout

JSON_SCHEMA = 1

EXAMPLES = """\
examples:
  tileir samples                list them
  tileir samples -o samples     write them into the folder samples
  tileir samples --json | jq -r '.samples[].name'

The folder of a sample is its version of the format; those in invalid/ break a rule or cannot be
read. With -o, a file that is there with other content is an error, and nothing is written.

the keys of --json: schema; samples, each with name, size in bytes and text (what it is); output,
the folder or null

exit status: 0, 2 wrong use or the folder cannot be written"""

_WHEEL = Path(__file__).parent / "files"
_CHECKOUT = Path(__file__).parents[2]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "List kernels and programs to try tileir on, or write them into a folder."
    parser.epilog = EXAMPLES
    parser.add_argument("-o", "--output", metavar="FOLDER", help="write all of them into a folder")
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    contents = {name: content(name) for name in SAMPLES}
    if arguments.output is not None:
        _write(Path(arguments.output), contents)
        print(f"{counted(len(contents), 'file')} in {arguments.output}", file=sys.stderr)
    if arguments.json:
        rows = [{"name": n, "size": len(contents[n]), "text": text} for n, text in SAMPLES.items()]
        found = {"schema": JSON_SCHEMA, "samples": rows, "output": arguments.output}
        write_output(None, (json.dumps(found) + "\n").encode())
    elif arguments.output is None:
        width = max(map(len, SAMPLES))
        lines = [f"{name:<{width}}  {text}\n" for name, text in SAMPLES.items()]
        write_output(None, "".join(lines).encode())
    return OK


def content(name: str) -> bytes:
    """Return the bytes of a sample; OSError if the installation lacks it."""
    wheel = _WHEEL / name
    return (wheel if wheel.exists() else _CHECKOUT / in_checkout(name)).read_bytes()


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    for name, data in contents.items():
        path = folder / name
        if path.exists() and (not path.is_file() or path.read_bytes() != data):
            raise UsageError(f"{path} is there already, with other content")
    for name, data in contents.items():
        path = folder / name
        os.makedirs(path.parent, exist_ok=True)
        if not path.exists():
            write_output(str(path), data)
