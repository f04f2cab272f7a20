"""``tileir <verb>`` and ``python -m tileir <verb>``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

USE = "usage: tileir COMMAND [ARGUMENT ...]\n\nThe open toolchain for CUDA Tile IR bytecode.\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the first argument names, and return the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if arguments[:1] == ["cutile"]:
            from .cutile.program import main as run_program
        elif arguments[:1] == ["dump"]:
            from .cutile.dump_command import main as run_program
        else:
            return _main(arguments)
    except KeyboardInterrupt:  # during imports, before `guarded` can catch it
        print("tileir: interrupted", file=sys.stderr)
        return 130
    return run_program(arguments[1:])  # a program ends as it likes, with Ctrl-C, too


def _main(arguments: Sequence[str]) -> int:
    from tileir.command_line.command_table import COMMANDS
    from tileir.command_line.exit_codes import USAGE, fail
    from tileir.command_line.running import guarded, main_of

    from .messages.wording import did_you_mean

    if not arguments:
        print(help_text(), file=sys.stderr)
        return USAGE
    name, *rest = arguments
    if name in ("-h", "--help", "help"):
        return guarded("", lambda: _say(help_text()))
    if name in ("-V", "--version"):
        return guarded("", lambda: _say(version_text()))
    if name not in COMMANDS:
        meant = did_you_mean(name, COMMANDS) or "; `tileir --help` lists all"
        return fail("", f"there is no command {name!r}{meant}", USAGE)
    return main_of(name, rest)


def _say(text: str) -> int:
    print(text)
    return 0


def help_text() -> str:
    """Return the overview of all commands."""
    from tileir.command_line.command_table import COMMANDS, GROUPS

    width = max(map(len, COMMANDS))
    lines = [USE]
    for group, commands in GROUPS.items():
        rows = [f"  {name:<{width}}  {summary}" for name, (_, summary) in commands.items()]
        lines += [f"{group}:", *rows, ""]
    tail = "tileir COMMAND --help has the arguments and examples of a command."
    return "\n".join([*lines, tail])


def version_text() -> str:
    """Return the version of tileir and the bytecode versions that it reads."""
    from tileir import __version__
    from tileir.formats.version import SUPPORTED

    return f"tileir {__version__}, bytecode {SUPPORTED[0]} to {SUPPORTED[-1]}"


if __name__ == "__main__":
    raise SystemExit(main())
