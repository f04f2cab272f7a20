"""``python -m tileir.inspect``: every byte of a file in hexadecimal, with what it means.

`render` turns what `annotate` yields into lines of text, `as_json` into JSON objects.
"""

from __future__ import annotations

from tileir.command_line.running import main_of

from .commands.inspect import as_json, render

__all__ = ["as_json", "render"]

if __name__ == "__main__":
    raise SystemExit(main_of("inspect"))
