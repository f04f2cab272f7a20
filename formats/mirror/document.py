"""The whole document: its description, then the types in reading order."""

from __future__ import annotations

from tileir.formats.container import FILE, PREVIEW_BIT
from tileir.formats.sections import END, SECTIONS
from tileir.formats.version import LATEST, PREVIEW, SUPPORTED

from . import primitives
from .gates import number
from .names import named
from .text import lines
from .walk import Walk

HEAD = "# Printed from the Construct tree: python -m tileir.formats.mirror. Do not edit.\n"

META = {
    "id": "tile_ir_bytecode",
    "title": "NVIDIA CUDA Tile IR bytecode",
    "application": ["NVIDIA CUDA Toolkit (tileiras)", "cuTile"],
    "file-extension": ["tileirbc"],
    "xref": {"github": "NVIDIA/cuda-tile"},
    "license": "Apache-2.0",
    "ks-version": "0.11",
    "tags": ["executable", "gpu"],
    "endian": "le",
}

DOC = f"""\
Kernels for NVIDIA GPUs in terms of tiles, as frontends such as cuTile write them and NVIDIA's
tileiras compiles them. This describes the public format of versions {SUPPORTED[0]} to {LATEST},
and the public-preview content of {LATEST} as tileirdisasm reads it. Files of later versions are
refused: what follows something unknown has no layout, and no list here can end before it.

A file is a header, sections in any order, and an end marker. Sections hold tables: strings, types,
constants, debug records. Everything refers to entries of those tables by index. A function is a
sized run of ops, each an opcode and the fields that it selects; ops nest through regions.

Later versions add fields, so `_root.version` (1304 is 13.4) decides what is there, and
`_root.preview` in files that announce public-preview content. The size of a
number attribute follows from its type, which is why payloads are read when asked for: the Type
section may come after what refers to it. Of several sections of one kind the last counts.

More is accepted here than readers accept: sections that are missing, indices that point nowhere,
entries that overlap, any depth of nesting. Names that are keywords somewhere have a suffix and
keep their own as `-orig-id`. The key `-index-of` says which table an index points into.
"""

DOC_REF = "https://docs.nvidia.com/cuda/tile-ir/latest/sections/bytecode.html"


def document() -> dict:
    """Return `tileir.ksy` as nested dicts and lists."""
    walk = Walk()
    header, sections = FILE.subcons
    payloads = {section.name: walk.layout(section.payload)["type"] for section in SECTIONS}
    walk.enums = {
        "section_kind": {
            section.number: {**named(section.name, "section"), "doc": section.doc}
            for section in sorted((END, *SECTIONS), key=lambda section: section.number)
        },
        **walk.enums,
    }
    return {
        "meta": META,
        "doc": DOC,
        "doc-ref": DOC_REF,
        "seq": [
            {"id": header.name, **walk.layout(header.subcon), "doc": header.docs},
            {
                "id": sections.name,
                "type": "section(_index.as<s4>)",
                "repeat": "until",
                "repeat-until": "_.index_of_types >= -1 and _.is_end",
                "doc": sections.docs,
            },
            {
                "id": "trailing",
                "size-eos": True,
                "valid": {"expr": "_.length == 0"},
                "doc": "Nothing: the end marker is the last byte.",
            },
        ],
        "instances": {
            "version": {
                "value": "header.version.major * 100 + header.version.minor",
                "doc": "1304 is 13.4.",
            },
            "preview": {
                "value": (f"version == {number(PREVIEW)} and (header.tag & {PREVIEW_BIT}) != 0"),
                "doc": "Whether there may be public-preview content.",
            },
            "types": {
                "value": "sections[sections.last.index_of_types].payload.as<type_record_table>",
                "if": "sections.last.index_of_types >= 0",
                "doc": "The type table.",
            },
        },
        "types": {"section": primitives.section(payloads), **walk.types, **primitives.NUMBERS},
        "enums": walk.enums,
    }


def ksy() -> str:
    """Return the text of `tileir.ksy`."""
    return HEAD + "\n".join(lines(document())) + "\n"
