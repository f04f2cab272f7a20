"""URLs in messages: what is secret in them is not shown."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"sig|token|secret|key|cred|pass|auth|expires|policy|^x-(amz|goog)-"
    r"|^(sv|ss|srt|sp|spr|st|se|sr|si|sip|sdd|sk(oid|tid|t|e|s|v))$",
    re.IGNORECASE,
)
"""Names of parameters of a query that sign a URL, at Amazon, Google, Azure and others.

Rather too many than too few: names of modules go into manifests.
"""


def without_secrets(text: str) -> str:
    """Return a text without the passwords and signatures that URLs in it have."""
    text = re.sub(r"://[^?@\s]*@", "://...@", text)  # a password may have a slash
    return re.sub(r"(://[^\s?]*)\?\S+", r"\1?...", text)


def unsigned(url: str) -> str:
    """Return a URL without those parameters of its query that are secret, or change every time."""
    path, mark, query = url.partition("?")
    kept = "&".join(each for each in query.split("&") if not _SECRET.search(each.partition("=")[0]))
    return f"{path}{mark}{kept}" if kept else path
