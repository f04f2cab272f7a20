"""Zip archives from elsewhere: what is read of them at all, and how those of ours are written.

A package of kernels is one, and so is what a cache exports. Both are read with the same limits on
what a small file may become; what their members mean is for their readers.
"""

from __future__ import annotations

import struct
import zipfile
import zlib

_GROWTH, _ALLOWANCE = 100, 16 << 20
"""How many times its own bytes an archive may have, beyond 16 MiB. PTX is deflated to a tenth."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of all members, the earliest that one can have: the same members give the same bytes."""
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, NotImplementedError,
    OverflowError, RuntimeError,
)  # fmt: skip
"""What zipfile raises for an archive that is damaged, or none. OSError is beside it: where a file
is read, that is the file's."""


def most_bytes(size: int) -> int:
    """Return the most bytes that the members of an archive of `size` bytes may have together."""
    return _GROWTH * size + _ALLOWANCE


def is_plain(member: zipfile.ZipInfo) -> bool:
    """Whether a member is stored or deflated, in clear; other methods may ask for any memory."""
    return not member.flag_bits & _ENCRYPTED and member.compress_type in _METHODS
