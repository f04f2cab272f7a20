"""What `batch` prints: records, the summary of a batch, and the report on a manifest."""

from __future__ import annotations

from tileir.batches.variants.figures import FIGURES

from .forms import (
    ANYTHING,
    COUNT,
    INTEGER,
    NUMBER,
    TEXT,
    TRUTH,
    Schema,
    by_name,
    either,
    every,
    maybe,
    record,
    said,
    versioned,
)

_JOB = {"file": TEXT, "verb": TEXT, "target": maybe(TEXT), "options": by_name(ANYTHING)}
_BROKEN = {"failure": TEXT, "message": maybe(TEXT)}


def batch() -> Schema:
    """One object: what came of a batch; of `batch report`, what a manifest has.

    A line of a manifest, and of `-m -`, is a record, which
    `python -c "help('tileir.batches.records')"` explains.
    """
    file = record({"bytes": COUNT, "sha256": TEXT})
    line = {
        **_JOB,
        "key": maybe(TEXT),
        "ok": TRUTH,
        "code": COUNT,
        "failure": maybe(TEXT),
        "message": maybe(TEXT),
        "result": said(ANYTHING, "what the verb found: see the schema of the command of its name"),
        "files": said(by_name(file), "by how their names end"),
        "warnings": every(TEXT),
        "seconds": maybe(NUMBER),
        "limits": record({"seconds": maybe(NUMBER), "memory": said(maybe(COUNT), "in bytes")}),
    }
    return either(
        summary=versioned(1, _summary(), optional=["variants"]),
        report=versioned(1, _report()),
        record=versioned(1, line, optional=["limits"]),
    )


def _summary() -> dict[str, Schema]:
    """Return the keys of a summary."""
    configuration = by_name(ANYTHING)
    figures = record(dict.fromkeys(FIGURES, COUNT), optional=[*FIGURES])
    variants = record(
        {
            "file": TEXT,
            "target": TEXT,
            "found": every(record({"configuration": configuration, "figures": figures})),
            "dropped": every(
                record({"configuration": configuration, "failure": TEXT, "reason": maybe(TEXT)})
            ),
        }
    )
    return {
        "verb": TEXT,
        "done": COUNT,
        "failed": COUNT,
        "skipped": said(COUNT, "jobs that the manifest had"),
        "skipped_failed": said(COUNT, "those of them that had failed"),
        "failures": said(by_name(COUNT), "kind -> how many"),
        "seconds": NUMBER,
        "interrupted": TRUTH,
        "variants": said(every(variants), "with --set"),
    }


def _report() -> dict[str, Schema]:
    """Return the keys of a report."""
    group = record(
        {
            "verb": TEXT,
            "target": maybe(TEXT),
            "jobs": COUNT,
            "ok": COUNT,
            "failures": said(by_name(COUNT), "kind -> how many"),
            "seconds": said(maybe(NUMBER), "of all together"),
            "median": maybe(NUMBER),
            "longest": maybe(NUMBER),
        }
    )
    change = {"kernel": TEXT, "figure": TEXT, "before": INTEGER, "after": INTEGER}
    compared = record(
        {
            "holds": said(TRUTH, "whether nothing fails anew and no figure is worse"),
            "compared": COUNT,
            "added": said(COUNT, "jobs that the baseline does not have"),
            "absent": said(COUNT, "jobs that only the baseline has"),
            "new_failures": every(record({**_JOB, **_BROKEN, "before": maybe(TEXT)})),
            "mended": every(record({**_JOB, "before": TEXT})),
            "worse": every(record({**_JOB, **change})),
            "better": every(record({**_JOB, **change})),
        }
    )
    return {
        "manifest": TEXT,
        "jobs": COUNT,
        "failed": COUNT,
        "groups": every(group),
        "slowest": every(record({**_JOB, "seconds": NUMBER})),
        "failures": every(record({**_JOB, **_BROKEN})),
        "baseline": said(maybe(compared), "with --baseline"),
    }
