"""`tileir playground`: write the folder of a playground, and show it on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tileir.command_line.argument_parser import whole_number
from tileir.command_line.exit_codes import OK, UsageError
from tileir.command_line.files import check_output_folder, write_output

from . import folder, runtime
from .serving import server

EXAMPLES = f"""\
examples:
  tileir playground -o site                       write the folder; npm fetches Pyodide
  tileir playground -o site --pyodide node_modules/pyodide
                                                  with the npm package that is there already
  tileir playground -o site --serve 8000          and show it at http://127.0.0.1:8000/

The folder works on any web server. It holds all that the page needs: this library, Python for
WebAssembly (Pyodide {runtime.VERSION}, Mozilla Public License 2.0) and examples; the page asks no
other server for anything, and files that are opened in it stay in the browser. What a server should
send with it is in the file _headers.

A folder that is there has to be empty or a playground, which is replaced.

exit status: 0, 2 wrong use or the folder cannot be written, 5 npm is missing or failed"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Write a web page in which tileir runs in the browser, as a folder."
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("-o", "--output", metavar="FOLDER", required=True, help="the folder to write")
    add("--pyodide", metavar="FOLDER", help="the npm package pyodide (default: npm fetches it)")
    add("--serve", metavar="PORT", type=whole_number, help="then serve it to this machine")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    target = Path(arguments.output)
    check_output_folder(arguments.output)
    before = _before(target)
    given = None if arguments.pyodide is None else Path(arguments.pyodide)
    made = folder.files(runtime.files(given))
    for name in before - set(made):
        (target / name).unlink(missing_ok=True)
    for name, data in made.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(str(path), data)
    size = sum(map(len, made.values()))
    print(f"{arguments.output}: {len(made)} files, {size / 1e6:.1f} MB", file=sys.stderr)
    if arguments.serve is not None:
        with server(target, arguments.serve) as serving:
            port = serving.server_address[1]
            print(f"http://127.0.0.1:{port}/ until Ctrl-C", file=sys.stderr, flush=True)
            serving.serve_forever()
    return OK


def _before(target: Path) -> set[str]:
    """Return the files of the playground that is there. UsageError if something else is."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return set()
    try:
        listed = json.loads((target / folder.MANIFEST).read_bytes())["files"]
        return {name for name in listed if _inside(target, name)}
    except (OSError, ValueError, TypeError, KeyError):
        raise UsageError(f"{target} is there already, and is no playground") from None


def _inside(target: Path, name: str) -> bool:
    return (target / name).resolve().is_relative_to(target.resolve())
