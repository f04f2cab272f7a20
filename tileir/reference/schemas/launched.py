"""What commands print about launches and about this machine: `run`, `dump`, `samples`, `doctor`."""

from __future__ import annotations

from tileir.formats.forks import not_forking
from tileir.launch.counts import Counts
from tileir.launch.roles import Roles

from .forms import (
    ANYTHING,
    COUNT,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    Schema,
    any_of,
    by_name,
    either,
    every,
    exactly,
    maybe,
    of_class,
    of_type,
    record,
    said,
    versioned,
)


def run() -> Schema:
    """One object: what came out; with --list, the entries; or an error."""
    scalar = record({"number": COUNT, "type": TEXT, "value": ANYTHING})
    array = record(
        {
            "number": COUNT,
            "type": TEXT,
            "dtype": TEXT,
            "shape": every(COUNT),
            "values": said(ANYTHING, "with --print, row by row"),
        },
        optional=["values"],
    )
    time = record(
        {
            "runs": COUNT,
            "best_s": NUMBER,
            "median_s": NUMBER,
            "bytes": COUNT,
            "gb_per_s": NUMBER,
        }
    )
    done = {
        "entry": TEXT,
        "grid": every(COUNT, 1, 3),
        "arguments": every(any_of(scalar, array)),
        "time": maybe(time),
        "counts": any_of(_counts(), _emulated_counts()),
        "checksum": TEXT,
    }
    entry = record({"entry": TEXT, "parameters": every(TEXT), **of_class(Roles)["properties"]})
    return either(
        done=versioned(1, done, optional=["counts", "checksum"]),
        with_list=versioned(1, {"entries": every(entry)}),
        error=versioned(1, {"file": TEXT, "error": any_of(*_errors())}),
    )


def _counts() -> Schema:
    derived = (
        "bytes_read",
        "bytes_written",
        "distinct_bytes",
        "total_flops",
        "intensity",
        "intensity_at_best",
    )
    return of_class(Counts, *derived)


def _emulated_counts() -> Schema:
    with not_forking:
        from tileir.codegen.emulator.counting.counts import EmulatedCounts, WarpAccesses

    whole = of_class(EmulatedCounts, "bank_conflicts", "excess_sectors")
    accesses = every(of_class(WarpAccesses, "excess"))
    return {**whole, "properties": {**whole["properties"], "accesses": accesses}}


def _errors() -> list[Schema]:
    """Return the schemas of errors: of a kernel on the CPU, of one on the emulator, of others."""
    block = of_type(tuple[int, int, int] | None)
    return [
        record(
            {
                "message": TEXT,
                "op": maybe(TEXT),
                "entry": maybe(TEXT),
                "block": block,
                "indices": said(every(every(INTEGER)), "of elements of the tile"),
                "location": maybe(TEXT),
            }
        ),
        record(
            {
                "message": TEXT,
                "kind": TEXT,
                "line": said(maybe(INTEGER), "of the PTX"),
                "block": block,
                "threads": maybe(every(ANYTHING)),
                "address": maybe(INTEGER),
            }
        ),
        record({"message": TEXT}),
    ]


def dump() -> Schema:
    """One object: the modules of a program; it is also in the folder, as kernels.json."""
    kernel = record(
        {
            "entry": TEXT,
            "name": TEXT,
            "location": maybe(TEXT),
            "parameters": every(TEXT),
            "launches": maybe(COUNT),
            "grids": maybe(every(exactly(3, COUNT))),
        }
    )
    module = record(
        {
            "file": TEXT,
            "sha256": TEXT,
            "bytes": COUNT,
            "version": TEXT,
            "kernels": every(kernel),
        }
    )
    return versioned(1, {"modules": every(module)})


def samples() -> Schema:
    """One object: the samples that there are."""
    sample = record({"name": TEXT, "size": COUNT, "text": TEXT})
    return versioned(1, {"samples": every(sample), "output": maybe(TEXT)})


def doctor() -> Schema:
    """One object: what this machine has, and what it can do."""
    package = record(
        {
            "name": TEXT,
            "version": maybe(TEXT),
            "supported": TEXT,
            "ok": TRUTH,
            "needed": TRUTH,
            "extra": said(maybe(TEXT), "of tileir, that has it"),
            "purpose": TEXT,
        }
    )
    gpu = record({"name": TEXT, "capability": exactly(2, COUNT), "memory": COUNT})
    tool = record(
        {
            "name": TEXT,
            "purpose": TEXT,
            "path": maybe(TEXT),
            "release": maybe(TEXT),
            "targets": every(TEXT),
            "package": TEXT,
        }
    )
    tileiras = record({"path": TEXT, "from": TEXT, "release": maybe(TEXT), "ours": TRUTH})
    store = record(
        {
            "url": said(TEXT, "without passwords"),
            "key": said(TRUTH, "whether entries need one"),
            "key_is_private": said(maybe(TRUTH), "whether its file is its owner's alone"),
            "reachable": TRUTH,
            "writable": TRUTH,
            "problem": TEXT,
        }
    )
    able = record({"what": TEXT, "able": TRUTH, "detail": TEXT, "install": TEXT, "broken": TRUTH})
    return versioned(
        1,
        {
            "tileir": TEXT,
            "bytecode": every(TEXT),
            "python": TEXT,
            "system": TEXT,
            "packages": every(package),
            "driver": record(
                {
                    "cuda": maybe(TEXT),
                    "release": maybe(TEXT),
                    "gpus": every(gpu),
                    "problem": maybe(TEXT),
                }
            ),
            "tools": every(tool),
            "cutile": record(
                {
                    "version": maybe(TEXT),
                    "asks_for": maybe(TEXT),
                    "packages": by_name(maybe(TEXT)),
                    "tileiras": every(tileiras),
                    "problem": maybe(TEXT),
                }
            ),
            "cache": record(
                {"folder": maybe(TEXT), "entries": COUNT, "bytes": COUNT, "limit": COUNT}
            ),
            "shared_store": maybe(store),
            "abilities": every(able),
            "install": every(TEXT),
            "broken": every(TEXT),
        },
    )
