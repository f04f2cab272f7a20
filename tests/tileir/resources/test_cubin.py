"""What a cubin says of its kernels, and that no broken one does harm."""

from __future__ import annotations

import random
import struct
import sys
from functools import partial

import pytest

import tileir
from tests.corpus import FIXTURES
from tileir import MissingPackageError, PackageError
from tileir.errors import ToolError
from tileir.resources.cubin import CubinKernel, read_cubin
from tileir.resources.of_kernels import resources_of
from tileir.tools import nvidia

from .elf import elf, short, sized, symbols

SECTIONS = {
    **symbols("one", "two"),
    ".note.nv.tkinfo": (7, b"ptxas\0-O 3 -arch sm_90a \0"),
    ".nv.info": (1, b"".join((
        sized(0x2F, 2, 64), sized(0x11, 2, 0), sized(0x12, 2, 0),
        sized(0x2F, 1, 168), sized(0x11, 1, 32), sized(0x12, 1, 48),
    ))),
    ".nv.info.one": (1, b"\x03\x1b\xff\x00\x01\x54\x00\x00" + b"".join((
        sized(0x10, 64, 2, 1), short(0x4C, 3), struct.pack("<BBH", 3, 0x38, 300), sized(0x66, 7),
    ))),
    ".nv.info.two": (1, sized(0x05, 96, 1, 1)),
    ".text.one": (1, bytes(384)),
    ".text.two": (1, bytes(128)),
    ".text.function": (1, bytes(128)),
    ".nv.constant0.one": (1, bytes(560)),
    ".nv.shared.one": (8, bytes(1024 + 512)),
    ".nv.shared.reserved.0": (8, bytes(64)),
}  # fmt: skip


def test_kernels_with_all_that_is_said_of_them() -> None:
    """A function that is no kernel has no .nv.info; one without attributes takes nothing."""
    cubin = read_cubin(elf(SECTIONS))
    assert (cubin.target, cubin.tile_ir) == ("sm_90a", True)
    one, two = cubin.kernels
    assert one == CubinKernel(
        "one", registers=168, threads=128, shared=512, reserved=1024, section=1536, stack=48,
        barriers=3, mbarriers=300, code_bytes=384, constants=560,
    )  # fmt: skip
    assert (two.name, two.registers, two.threads, two.shared) == ("two", 64, 96, 0)


def test_before_clusters_the_section_has_nothing_reserved() -> None:
    """What is reserved comes on top; without a note, the file's flags name the GPU."""
    sections = {name: body for name, body in SECTIONS.items() if name != ".note.nv.tkinfo"}
    cubin = read_cubin(elf(sections, flags=0x6005004))
    assert cubin.target == "sm_80"
    assert [(each.shared, each.reserved) for each in cubin.kernels] == [(1536, 1024), (0, 1024)]
    unknown = read_cubin(elf(sections, flags=0x6000104))
    assert unknown.target == ""
    assert [each.occupancy for each in resources_of(elf(sections), instructions=False)] == [
        None
    ] * 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x7fELF", "cannot be read"),
        (elf(SECTIONS, machine=62), "another machine"),
        (elf(SECTIONS)[:-200], "broken"),
        (b"\x7fELF\x01" + elf(SECTIONS)[5:], "cubin"),
        (elf({**SECTIONS, "x" * 70_000: (1, b"")} | {f".{n}": (1, b"") for n in range(1000)}),
         "names of 70,000 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_cubin(data: bytes, said: str) -> None:
    with pytest.raises(PackageError, match=said):
        read_cubin(data)


def header(name: str, place: int, form: str, number: int) -> bytes:
    """The cubin with another number in the header of a section."""
    data = bytearray(elf(SECTIONS))
    first = struct.unpack_from("<Q", data, 0x28)[0]
    struct.pack_into(form, data, first + 64 * [".shstrtab", *SECTIONS].index(name) + place, number)
    return bytes(data)


def test_sections_that_claim_to_be_zeros_are_not_made() -> None:
    """pyelftools would make so many bytes: a hundred of this file would fill the memory."""
    data = bytearray(header(".nv.info.one", 4, "<I", 8))
    at = data.rindex(struct.pack("<Q", len(SECTIONS[".nv.info.one"][1])))
    struct.pack_into("<Q", data, at, 1 << 62)
    assert read_cubin(bytes(data)).kernels[0].barriers == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (header(".nv.info.two", 8, "<Q", 0x800), "compressed"),
        (header(".text.two", 32, "<Q", 1 << 40), "behind its end"),
        (header(".text.two", 24, "<Q", 1 << 40), "behind its end"),
        (header(".symtab", 56, "<Q", 1), "symbols of 1 bytes"),
    ],
)
def test_headers_of_sections_that_make_much_of_little(data: bytes, said: str) -> None:
    with pytest.raises(PackageError, match=said):
        read_cubin(data)


def test_bytes_that_are_no_elf_file() -> None:
    with pytest.raises(PackageError, match="no cubin"):
        resources_of(b"PK\x03\x04")


def test_broken_cubins_are_read_or_refused() -> None:
    whole, draw, refused = elf(SECTIONS), random.Random(5), 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(draw.choice((1, 3, 10))):
            data[draw.randrange(len(data))] = draw.choice((0, 1, 255, draw.randrange(256)))
        try:
            read_cubin(bytes(data[: draw.choice((None, draw.randrange(len(data))))]))
        except PackageError:
            refused += 1
    assert 25 < refused < 195


def test_without_pyelftools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "elftools", None)
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    for read in (read_cubin, partial(resources_of, instructions=False)):
        with pytest.raises(MissingPackageError, match=r"pyelftools>=0\.30"):
            read(elf(SECTIONS))


def test_all_that_is_missing_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "elftools", None)
    monkeypatch.setattr(nvidia, "find", lambda name: None)
    compiled = tileir.compile((FIXTURES / "13.4" / "vector_add.tileirbc").read_bytes(), "sm_90")
    for asked, tools, packages in (
        (compiled, "ptxas, nvdisasm and", "nvidia-cuda-nvcc nvidia-cuda-nvdisasm"),
        (elf(SECTIONS), "nvdisasm and", "nvidia-cuda-nvdisasm"),
    ):
        with pytest.raises(ToolError) as caught:
            resources_of(asked)
        assert str(caught.value) == (
            f"measuring kernels needs {tools} pyelftools; install them with:"
            f' pip install {packages} "pyelftools>=0.30"'
        )
