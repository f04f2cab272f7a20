"""URLs in messages: what is secret in them is not shown."""

from __future__ import annotations

import re


def without_secrets(text: str) -> str:
    """Return a text without the passwords and signatures that URLs in it have."""
    text = re.sub(r"://[^?@\s]*@", "://...@", text)  # a password may have a slash
    return re.sub(r"(://[^\s?]*)\?\S+", r"\1?...", text)
