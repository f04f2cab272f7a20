"""What commands print that compile: plans, remarks, advice, resources, packages, the cache."""

from __future__ import annotations

from tileir.launch.roles import Roles
from tileir.resources.kernel_resources import KernelResources
from tileir.resources.occupancy import Occupancy

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
    choice,
    either,
    every,
    exactly,
    maybe,
    of_class,
    record,
    said,
    versioned,
)

SURE = choice("certain", "likely", "maybe")
RUNS_ON = record({"capability": exactly(2, COUNT), "later": TRUTH})
"""The GPUs that PTX runs on: of a compute capability, and of later ones or not."""
_PLACE = {
    "file": said(maybe(TEXT), "of the source"),
    "line": said(maybe(COUNT), "from 1"),
    "column": said(maybe(COUNT), "from 1"),
}


def _roles() -> dict[str, Schema]:
    """Return the schemas of the keys that say what parameters are to arrays."""
    return of_class(Roles)["properties"]


def plan() -> Schema:
    """With --emit plan: for each entry symbol, how to launch it.

    The keys are explained by `python -c "help('tileir.codegen.nvptx.plan')"`.
    """
    three = exactly(3, COUNT)
    of_argument = record({"parameter": COUNT, "times": INTEGER, "plus": INTEGER})
    size = any_of(COUNT, of_argument)
    launched = {"entry": TEXT, "block": three, "dynamic_shared_memory": COUNT}
    parameter = record(
        {
            "index": COUNT,
            "type": TEXT,
            "size": COUNT,
            "offset": COUNT,
            "divisible_by": COUNT,
            "written": TRUTH,
        }
    )
    tensor_map = record(
        {
            "offset": COUNT,
            "size": COUNT,
            "element": TEXT,
            "base": size,
            "extents": every(size),
            "strides": every(size),
            "box": every(COUNT),
            "swizzle": choice(0, 32, 64, 128),
        }
    )
    guard = record(
        {
            **of_argument["properties"],
            "divisible_by": COUNT,
            "at_least": INTEGER,
            "at_most": INTEGER,
        }
    )
    role = record(
        {"name": TEXT, "first": COUNT, "warps": COUNT, "working": COUNT, "registers": COUNT}
    )
    reason = maybe(record({"reason": TEXT, "why": TEXT}))
    moved = record(
        {
            "tile": TEXT,
            "source": TEXT,
            "tensor_map": maybe(COUNT),
            "reason": maybe(TEXT),
            "why": TEXT,
        }
    )
    term = record(
        {"value": ANYTHING, "by": TEXT, "asked": ANYTHING, "why": TEXT}, optional=["asked", "why"]
    )
    return by_name(
        versioned(
            2,
            {
                **launched,
                "target": TEXT,
                "ptx_target": TEXT,
                "ptx_version": TEXT,
                "runs_on": RUNS_ON,
                "parameters": every(parameter),
                **_roles(),
                "cluster": three,
                "heap": COUNT,
                "grid": exactly(3, choice("x", "y", "z")),
                "grid_scale": three,
                "grid_limits": three,
                "overlaps_grids": TRUTH,
                "asserts": TRUTH,
                "tensor_maps": every(tensor_map),
                "guard": every(guard),
                "twin": maybe(record(launched)),
                "roles": every(role),
                "one_role": reason,
                "serial_products": reason,
                "copies": every(moved),
                "stores": every(moved),
                "contract": by_name(term),
            },
        )
    )


def remarks() -> Schema:
    """One object: all remarks; or, with --topics, what topics there are."""
    remark = record(
        {
            "kernel": TEXT,
            **_PLACE,
            "outcome": choice("passed", "missed", "analysis"),
            "topic": TEXT,
            "what": TEXT,
            "reasons": every(TEXT),
            "why": TEXT,
            "change": maybe(TEXT),
            "facts": by_name(ANYTHING),
        }
    )
    told = {"file": TEXT, "target": maybe(TEXT), "remarks": every(remark)}
    return either(of_a_file=versioned(1, told), with_topics=versioned(1, {"topics": by_name(TEXT)}))


def advise() -> Schema:
    """One object: the findings of each file; or, with --rules or --explain, rules."""
    findings = every(record(finding_keys()))
    file = {
        "file": TEXT,
        "target": maybe(TEXT),
        "problem": maybe(TEXT),
        "findings": findings,
        "untried": every(record({"kernel": TEXT, "rules": every(TEXT)})),
    }
    rule = record(
        {
            "rule": TEXT,
            "title": TEXT,
            "sure": SURE,
            "figure": TEXT,
            "explanation": TEXT,
            "fix": TEXT,
        }
    )
    return either(
        of_files=versioned(2, {"files": every(record(file))}),
        with_rules_or_explain=versioned(2, {"rules": every(rule)}),
    )


def finding_keys() -> dict[str, Schema]:
    """Return the schemas of the keys of a finding."""
    return {
        "kernel": TEXT,
        "rule": TEXT,
        "title": TEXT,
        "sure": SURE,
        "op": said(maybe(TEXT), "null for all of a kernel"),
        **_PLACE,
        "why": TEXT,
        "fix": TEXT,
        "figure": TEXT,
        "before": NUMBER,
        "after": NUMBER,
        "shown": exactly(2, TEXT),
        "gain": NUMBER,
        "also": every(record(_PLACE)),
    }


def kernel_resources() -> Schema:
    """Return the schema of what a kernel takes."""
    keys = of_class(KernelResources)["properties"]
    return record({**keys, "occupancy": maybe(of_class(Occupancy, "limited_by"))})


def resources() -> Schema:
    """One object: what the kernels of each file take; with --baseline, also a comparison."""
    kernel = kernel_resources()
    change = record({"kernel": TEXT, "figure": TEXT, "before": maybe(INTEGER), "after": INTEGER})
    compared = record(
        {
            "holds": TRUTH,
            "worse": every(change),
            "better": every(change),
            "new": every(TEXT),
            "absent": every(TEXT),
        }
    )
    file = record({"file": TEXT, "problems": every(TEXT), "kernels": every(kernel)})
    return versioned(1, {"files": every(file), "baseline": compared}, optional=["baseline"])


def package() -> Schema:
    """With --list: the manifest of a package, which `help('tileir.tilepack')` explains."""
    file = record({"name": TEXT, "bytes": COUNT, "sha256": TEXT})
    target = record(
        {
            "target": TEXT,
            "ptx_target": TEXT,
            "ptx_version": maybe(TEXT),
            "cubin_target": maybe(TEXT),
            "entries": every(TEXT),
            "files": record({"plan": file, "ptx": file, "cubin": file}, optional=["ptx", "cubin"]),
        }
    )
    return versioned(
        1,
        {
            "format": {"const": "tilepack"},
            "tileir": TEXT,
            "llvm": TEXT,
            "module": record({"sha256": TEXT, "bytes": COUNT, "version": TEXT}),
            "options": by_name(ANYTHING),
            "targets": every(target),
        },
    )


def cache() -> Schema:
    """One object: of `list` all compilations, of `show` one."""
    file = {"file": TEXT, "bytes": COUNT, "damaged": TRUTH}
    part = record({"kind": TEXT, **file})
    one = record(
        {
            "id": TEXT,
            "current": TRUTH,
            "kernels": every(TEXT),
            "used": said(COUNT, "seconds since 1970"),
            "bytes": COUNT,
            "facts": by_name(ANYTHING),
            "parts": every(part),
        }
    )
    toolkit = record({"name": TEXT, "path": TEXT, "files": COUNT, "bytes": COUNT})
    counted = {"entries": COUNT, "bytes": said(maybe(COUNT), "null where the store does not say")}
    shared = record({"url": TEXT, "key": TRUTH, **counted}, optional=tuple(counted))
    return either(
        list=versioned(
            1,
            {
                "folder": TEXT,
                "limit": COUNT,
                "compilations": every(one),
                "others": every(record(file)),
                "toolkits": every(toolkit),
                "shared": maybe(shared),
            },
        ),
        show=versioned(1, {"folder": TEXT, "compilation": one}),
    )
