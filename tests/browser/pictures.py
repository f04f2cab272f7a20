"""Pictures of pages, compared with those that were checked in."""

from __future__ import annotations

from io import BytesIO

SIZE = (480, 300)
"""Pixels of the small pictures: letters are no more than their greyness there."""


def small(picture: bytes) -> bytes:
    """Return a picture in the size and the few colours in which it is checked in, as PNG."""
    from PIL import Image

    image = Image.open(BytesIO(picture)).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
    out = BytesIO()
    image.quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def difference(one: bytes, other: bytes) -> float:
    """Return the mean difference of two pictures of one size: 0 for none, 1 for black and white."""
    from PIL import Image, ImageChops, ImageStat

    images = [Image.open(BytesIO(data)).convert("RGB") for data in (one, other)]
    return sum(ImageStat.Stat(ImageChops.difference(*images)).mean) / 3 / 255
