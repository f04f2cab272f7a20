"""The colours of console sessions: lines that begin with ``$`` are commands, others output."""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer


class ConsoleLexer(BashSessionLexer):
    """Pygments also takes ``%`` for a prompt, with which values of Tile IR begin."""

    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")
