"""What `report` prints: the model of a page."""

from __future__ import annotations

from tileir.diff import hunks
from tileir.report.columns import LEVELS

from .compiled import RUNS_ON, finding_keys, kernel_resources
from .forms import (
    ANYTHING,
    COUNT,
    INTEGER,
    SEVERITY,
    TEXT,
    TRUTH,
    Schema,
    choice,
    every,
    exactly,
    maybe,
    record,
    said,
    versioned,
)
from .modules import function_stats
from .pictures import footprints, pictures

_MARKS = (hunks.SAME, hunks.GONE, hunks.NEW, hunks.MOVED, hunks.OTHER, hunks.NOTE)


def _columns(**numbers: str) -> Schema:
    """Return the schema of a table in columns of numbers, each with what they are."""
    return record({name: said(every(INTEGER), words) for name, words in numbers.items()})


def _kernel() -> Schema:
    """Return the schema of what is said of a kernel for a GPU."""
    listing = record({"lines": every(TEXT), "ops": said(every(INTEGER), "of each line, or -1")})
    step = {
        "name": TEXT,
        "headline": TEXT,
        "dialect": TEXT,
        "same": said(TRUTH, "the text is that of the step before"),
        "lines": maybe(said(every(COUNT), "in texts; null if the same, or left out")),
        "ops": maybe(said(every(INTEGER), "of each line, or -1")),
    }
    stages = record({"texts": every(TEXT), "steps": every(record(step))})
    cost = _columns(
        op="which, or -1", instructions="made of it", looped="those of them that are in loops"
    )
    classes = {"type": "object", "additionalProperties": COUNT}
    cost["properties"]["classes"] = said(every(classes), "class of instructions: how many")
    cost["required"].append("classes")
    table = said(every(exactly(2, TEXT)), "resources in words: title and cell")
    theirs = {"sass": listing, "cost": cost, "resources": maybe(kernel_resources()), "table": table}
    finding = record({**finding_keys(), "ops": said(every(COUNT), "their numbers in the file")})
    contract = {
        "block": exactly(3, COUNT),
        "cluster": exactly(3, COUNT),
        "dynamic_shared_memory": COUNT,
        "grid_limits": exactly(3, COUNT),
        "ptx_target": TEXT,
        "runs_on": RUNS_ON,
        "parameters": every(record({"type": TEXT, "meaning": TEXT, "written": TRUTH})),
    }
    return record(
        {
            "kernel": TEXT,
            "target": TEXT,
            "problems": said(every(TEXT), "why it cannot be compiled"),
            "missing": said(every(TEXT), "what is not installed, and so not known"),
            "verdict": said(every(TEXT), "sentences"),
            "work": function_stats(),
            "contract": maybe(record(contract)),
            "resources": maybe(kernel_resources()),
            "table": table,
            "findings": maybe(every(finding)),
            "untried": every(TEXT),
            "stages": maybe(stages),
            "ptx": maybe(listing),
            "sass": maybe(listing),
            "cost": maybe(cost),
            "tileiras": maybe(record(theirs)),
            "pictures": maybe(pictures()),
            "footprints": maybe(footprints()),
        }
    )


def report() -> Schema:
    """One object: the model that a page draws, of one file or of two."""
    table = _columns(
        field="the entry's first field, -1 if it could not be read",
        text="in texts",
        uses="how many fields name it",
    )
    fields = _columns(
        length="bytes; fields tile the file",
        node="the heading above it",
        head="the beginning of its path, in texts",
        name="the end of its path, in texts",
        kind="in texts",
        meaning="in texts",
        doc="what it is for, in texts",
    )
    value = said(every(ANYTHING), "a number; a text of one of 2^53 and more; null for bytes")
    fields["properties"]["value"] = value
    fields["required"].append("value")
    levels = ", ".join(f"{number} {name}" for number, name in enumerate(LEVELS))
    nodes = _columns(
        level=levels, text="in texts", first="its first field", depth="of nesting",
        parent="the node around it, or -1", op="which op it is, or -1",
    )  # fmt: skip
    ops = _columns(
        node="its heading", name="in texts", end="the offset behind it, regions included",
        line="its first line in the text, or -1", lines="how many", function="which, or -1",
        location="in texts", frame="the innermost, or -1",
    )  # fmt: skip
    frames = _columns(
        location="in texts", name="of the function, in texts", caller="that of the call, or -1"
    )
    makers = "the ops that make its operands, each once; -1 for the parameters of the function"
    ops["properties"]["from"] = said(every(every(INTEGER)), makers)
    ops["required"].append("from")
    problem = record(
        {
            "severity": SEVERITY,
            "rule": TEXT,
            "message": TEXT,
            "offset": maybe(COUNT),
            "function": maybe(TEXT),
            "op": maybe(TEXT),
            "location": maybe(TEXT),
            "hint": TEXT,
            "about": TEXT,
        }
    )
    function = record(
        {"name": TEXT, "node": COUNT, "line": INTEGER, "lines": COUNT, "location": maybe(TEXT)}
    )
    section = record({"name": TEXT, "start": COUNT, "payload": COUNT, "end": COUNT})
    numbers = every(COUNT)
    source = record({"name": TEXT, "lines": every(TEXT), "frames": numbers, "rows": numbers})
    form = said(choice("text", "outline"), "outline where there is no text")
    file = record(
        {
            "name": TEXT,
            "size": COUNT,
            "sha256": TEXT,
            "blanked": said(every(exactly(2, COUNT)), "ranges of directories, dots in bytes"),
            "whole": said(TRUTH, "whether it could be read to its end"),
            "version": maybe(TEXT),
            "producer": maybe(TEXT),
            "bytes": said(TEXT, "in base64"),
            "sections": every(section),
            "texts": every(TEXT),
            "fields": fields,
            "nodes": nodes,
            "ops": ops,
            "frames": frames,
            "functions": every(function),
            "text": record({"form": form, "lines": every(TEXT)}),
            "tables": record(dict.fromkeys(("types", "strings", "constants", "debug"), table)),
            "problems": every(problem),
            "sources": said(every(source), "with --embed-source"),
            "kernels": said(every(_kernel()), "with --target: one for each kernel and GPU"),
        }
    )
    row = {
        "type": "array",
        "prefixItems": [choice(*_MARKS), maybe(COUNT), maybe(COUNT), TEXT],
        "minItems": 4,
        "maxItems": 4,
    }
    rows = said(every(row), "mark, line in the first, line in the second, note")
    diff = {"anyOf": [{"type": "null"}, record({"equal": TRUTH, "rows": rows})]}
    return versioned(1, {"tool": TEXT, "files": every(file, 1, 2), "diff": diff})
