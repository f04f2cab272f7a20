"""The TextMate grammar beside the Pygments lexer, in the engine of VS Code."""

from tests.lab.extras import need

need("pygments", "construct")
