"""Zip archives of a few members: read with limits, and written without dates."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from tileir.errors import PackageError
from tileir.launch.archives import DAMAGE, DATE, is_plain, most_bytes
from tileir.messages.texts import display

MOST_MEMBERS = 1024
MOST_BYTES = 1 << 30
"""Bytes of all members together, when decompressed."""


def read_archive(data: bytes) -> dict[str, bytes]:
    """Return the members of an archive by their names; PackageError if it is none or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check(archive.infolist(), min(MOST_BYTES, most_bytes(len(data))))
            return {each.filename: _read(archive, each) for each in archive.infolist()}
    except PackageError:
        raise
    except (*DAMAGE, OSError) as error:
        raise PackageError(f"no package of kernels, or a damaged one: {error}") from None


def write_archive(members: Mapping[str, bytes]) -> bytes:
    """Return an archive of members, in their order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return out.getvalue()


def _check(members: list[zipfile.ZipInfo], most: int) -> None:
    """Raise PackageError for members that are too many, too large, or not to be read at all."""
    if len(members) > MOST_MEMBERS:
        raise PackageError(f"{len(members)} members, where {MOST_MEMBERS} are the most")
    size = sum(each.file_size for each in members)
    if size > most:
        raise PackageError(f"{size} bytes of members, where {most} are the most")
    names: set[str] = set()
    for each in members:
        shown = display(each.filename)
        if each.filename in names:
            raise PackageError(f"two members are called {shown}")
        names.add(each.filename)
        if not is_plain(each):
            raise PackageError(f"{shown} is neither stored nor deflated")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes: as many as the directory says, and no more are decompressed."""
    with archive.open(member) as file:
        data = file.read(member.file_size)
        if len(data) != member.file_size or file.read(1):
            raise PackageError(f"{display(member.filename)} has not the size that is promised")
        return data
