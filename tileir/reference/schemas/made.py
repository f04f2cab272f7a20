"""What commands print that write modules: rewriting, random programs, mutants, reductions."""

from __future__ import annotations

from .forms import (
    COUNT,
    NUMBER,
    TEXT,
    TRUTH,
    Schema,
    by_name,
    choice,
    either,
    every,
    maybe,
    record,
    said,
    versioned,
)
from .modules import FEATURE

_FILES = {
    "file": TEXT,
    "output": TEXT,
    "bytes_before": said(COUNT, "as bytecode"),
    "bytes_after": COUNT,
}


def opt() -> Schema:
    """One object: what each pass has done; or, with --list or --rules, what there is."""
    step = record({"name": TEXT, "changes": COUNT, "seconds": NUMBER})
    done = {**_FILES, "ops_before": COUNT, "ops_after": COUNT, "passes": every(step)}
    one = record({"name": TEXT, "aliases": every(TEXT), "what": TEXT})
    rule = record({"name": TEXT, "ops": every(TEXT), "what": TEXT, "why": TEXT})
    return either(
        written=versioned(1, done),
        with_list=versioned(1, {"passes": every(one)}),
        with_rules=versioned(1, {"rules": every(rule)}),
    )


def strip() -> Schema:
    """One object: how many things of each part have been removed."""
    return versioned(1, {**_FILES, "removed": by_name(COUNT)})


def convert() -> Schema:
    """One object; what the version lacks is listed, and then nothing was written."""
    lacks = {"output": maybe(TEXT), "bytes_after": maybe(COUNT)}
    return versioned(1, {**_FILES, **lacks, "from": TEXT, "to": TEXT, "lacks": every(FEATURE)})


def extract() -> Schema:
    """One object: the names of the functions that were written."""
    return versioned(1, {**_FILES, "functions": every(TEXT)})


def smith() -> Schema:
    """An object a line for each module that was written."""
    return versioned(
        1, {"seed": COUNT, "version": TEXT, "ops": COUNT, "module": TEXT, "launch": TEXT}
    )


def mutate() -> Schema:
    """An object a line for each mutant that was written."""
    return versioned(1, {"seed": COUNT, "steps": every(TEXT), "ops": COUNT, "file": TEXT})


def reduce() -> Schema:
    """One object: what was left of a file, and what it took."""
    size = record({"ops": COUNT, "bytes": COUNT})
    one = record({"name": TEXT, "tries": TEXT, "trials": COUNT, "accepted": COUNT, "ops": COUNT})
    return versioned(
        1,
        {
            "file": TEXT,
            "output": TEXT,
            "predicate": TEXT,
            "version": TEXT,
            "before": size,
            "after": size,
            "trials": COUNT,
            "seconds": NUMBER,
            "ended": choice("finished", "time", "interrupted"),
            "stable": said(TRUTH, "whether it still held in the end"),
            "seen": maybe(TEXT),
            "passes": every(one),
            "text": said(maybe(TEXT), "the module that is left"),
        },
    )


def bisect() -> Schema:
    """One object: the answer at each point, and where it changes; or, with --list, releases."""
    point = record({"name": TEXT, "asked": TRUTH, "holds": maybe(TRUTH), "seen": maybe(TEXT)})
    change = record({"before": TEXT, "after": TEXT, "holds": TRUTH, "no_answer": every(TEXT)})
    found = {
        "question": TEXT,
        "between": choice("releases", "stages", "optional stages"),
        "points": every(point),
        "changes": every(change),
        "problem": maybe(TEXT),
    }
    return either(found=versioned(1, found), with_list=versioned(1, {"releases": every(TEXT)}))
