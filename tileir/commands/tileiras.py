"""`tileir tileiras`: puts tileir in the place of NVIDIA's compiler, where somebody asks for it."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import tileir
from tileir.command_line.exit_codes import OK, UsageError

from .launch_options import add_options, options_given

EXAMPLES = """\
The launcher is a file called tileiras, which cuTile, cuTile.jl, cutile-rs and Triton's backend find
as they find NVIDIA's. Nothing is put on the search path. It makes cubins, by ptxas, and is
compile-only, for caches, CI and inspection, until a run on a GPU has shown more: frontends launch
with one thread for each block, and leave the rest to what only tileiras' cubins carry. To launch
kernels of cuTile, run the program with `tileir cutile --gpu`.

Options about launching are kept in the launcher. They, our version and those of LLVM and ptxas are
part of what `tileiras --version` prints, so caches of frontends never mix up who compiled what.

examples:
  tileir tileiras install ~/instead            writes ~/instead/tileiras
  PATH=~/instead:$PATH python program.py       cuTile finds it, unless nvidia-cuda-tileiras is there
  CUTILE_TILEIRAS_PATH=~/instead/tileiras ...  cutile-rs
  ~/instead/tileiras --help                    the options that it takes
"""

NAME = "tileiras"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to a parser."""
    parser.description = "Write a launcher that answers in the place of NVIDIA's tileiras."
    parser.epilog = EXAMPLES
    parser.add_argument("what", choices=["install"], help="write the launcher")
    parser.add_argument("folder", metavar="DIR", help="the folder for it, made if need be")
    add_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    from tileir.tools.launchers import is_launcher, text

    if os.name != "posix":
        raise UsageError("launchers are for Linux and macOS")
    options = options_given(arguments)
    path = Path(arguments.folder, NAME)
    if path.exists() and not is_launcher(path):
        raise UsageError(f"{path} is there, and no launcher of ours; name another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    root = str(Path(tileir.__path__[0]).parent)
    unfinished = path.with_name(f".{NAME}.{os.getpid()}")
    unfinished.write_text(text(sys.executable, root, options), "utf-8")
    unfinished.chmod(0o755)
    os.replace(unfinished, path)
    print(f"{path}: tileir {tileir.__version__} in the place of NVIDIA's tileiras")
    print("It is compile-only; tileir cutile --gpu launches kernels of cuTile.")
    return OK
