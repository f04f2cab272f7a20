"""String literals of the text."""

from __future__ import annotations


def quoted(text: str) -> str:
    """Return a string literal; characters other than printable ASCII are hexadecimal bytes."""
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """Return the contents of a string literal."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return text
    out = []
    for byte in text.encode("utf-8", "surrogateescape"):
        if byte == 0x5C:
            out.append("\\\\")
        elif byte == 0x22 or not 0x20 <= byte < 0x7F:
            out.append(f"\\{byte:02X}")
        else:
            out.append(chr(byte))
    return "".join(out)
