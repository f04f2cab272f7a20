"""Pictures of pages, compared with those that were checked in; and those that the docs show.

`python -m tests.browser.pictures` writes docs/pictures/report.png, kernels.png and pictures.png:
pages of a matrix product, the file, the kernel, and what is drawn of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.watching import launched
from tests.corpus import NEWEST, ROOT
from tileir.bytecode import Bytecode
from tileir.report.kernels import kernels
from tileir.report.model import model, readable_part
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


READ = {"viewport": {"width": 1200, "height": 760}, "device_scale_factor": 1.5}
"""A window whose picture can still be read where a page is some 850 pixels wide."""


def _shown(
    op: str, tab: str = "", targets: Sequence[str] = (), mode: str = "", without: Sequence[str] = ()
) -> bytes:
    """Return a picture of a page of a matrix product at an op, of its kernel if for `targets`.

    `tab` and `mode` are what is clicked on then, `without` panes that are not shown.
    """
    data = NEWEST["matmul"].read_bytes()
    records = kernels(Bytecode.parse(readable_part(data, False, None)), targets)
    made = model(data, "matmul.tileirbc", folder=ROOT, kernels=records)
    (file,) = made["files"]
    names = [file["texts"][name] for name in file["ops"]["name"]]
    with TemporaryDirectory() as folder, launched() as browser:
        path = Path(folder, "matmul.html")
        path.write_text(page_of(made), "utf-8")
        page = browser.new_page(**READ, color_scheme="light")
        page.goto(f"{path.as_uri()}#op={names.index(op)}")
        page.wait_for_selector("#report .row.selected")
        for pane in without:
            page.click(f".shown button >> text={pane}")
        if tab:
            page.click(f"[role=tab][data-tab={tab}]")
        if mode:
            page.click(f".modes button >> text={mode}")
            page.wait_for_selector(".drawings .cell")
        return page.screenshot()


def _write(name: str, picture: bytes) -> None:
    """Write a picture of the docs."""
    from PIL import Image

    target = ROOT / "docs" / "pictures" / name
    target.parent.mkdir(exist_ok=True)
    image = Image.open(BytesIO(picture)).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(target, "PNG", optimize=True)


if __name__ == "__main__":
    _write("report.png", _shown("load_view_tko", "source"))
    _write("kernels.png", _shown("mmaf", targets=["sm_90"], without=["Stages"]))
    _write("pictures.png", _shown("ftof", targets=["sm_90"], mode="Pictures"))
