"""Pictures of pages, compared with those that were checked in; and the one that the docs show.

`python -m tests.browser.pictures` writes docs/pictures/report.png: a page of a matrix product.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.watching import launched
from tests.corpus import NEWEST, ROOT
from tileir.report.model import model
from tileir.report.page import page as page_of

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


def _shown() -> bytes:
    """Return a picture of a page of a matrix product, at the op that loads a tile."""
    made = model(NEWEST["matmul"].read_bytes(), "matmul.tileirbc", folder=ROOT)
    (file,) = made["files"]
    names = [file["texts"][name] for name in file["ops"]["name"]]
    with TemporaryDirectory() as folder, launched() as browser:
        path = Path(folder, "matmul.html")
        path.write_text(page_of(made), "utf-8")
        tab = browser.new_page(viewport={"width": 1440, "height": 810}, color_scheme="light")
        tab.goto(f"{path.as_uri()}#op={names.index('load_view_tko')}")
        tab.click("[role=tab][data-tab=source]")
        return tab.screenshot()


if __name__ == "__main__":
    from PIL import Image

    target = ROOT / "docs" / "pictures" / "report.png"
    target.parent.mkdir(exist_ok=True)
    image = Image.open(BytesIO(_shown())).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(target, "PNG", optimize=True)
