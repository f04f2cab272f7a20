"""What the pictures of a kernel, and of a launch, are drawn from, in what `report` prints."""

from __future__ import annotations

from .forms import COUNT, INTEGER, TEXT, TRUTH, Schema, choice, every, exactly, maybe, record, said


def pictures() -> Schema:
    """Return the schema of the pictures of a kernel on a GPU."""
    bases = said(every(COUNT), "for each bit of its number the element that it stands for")
    layout = {"shape": every(COUNT), **dict.fromkeys(("register", "lane", "warp", "block"), bases)}
    order = {
        "shape": every(COUNT),
        "element": TEXT,
        "bytes": said(COUNT, "of an element"),
        "offsets": said(every(COUNT), "in bytes, for each bit of an element's number; by xor"),
        "slots": said(COUNT, "of a ring; 1 for none"),
        "swizzle": choice("none", "32B", "64B", "128B", "linear"),
    }
    op = {"op": said(COUNT, "its number in the file"), "in": said(TEXT, "the op of block IR")}
    where = said(COUNT, "an index of layouts")
    tile = {**op, "in_role": maybe(TEXT), "what": TEXT, "element": TEXT, "layout": where}
    access = {
        **op,
        "by": TEXT,
        "writes": TRUTH,
        "memory": said(COUNT, "an index of memory"),
        "lanes": said(maybe(every(COUNT)), "bytes that each bit of a lane's number adds, by xor"),
        "width": said(maybe(COUNT), "bytes of each lane"),
        "turns": said(maybe(COUNT), "that lanes take at the banks; 1 without a conflict"),
    }
    fragment = said(maybe(COUNT), "an index of layouts; null if no lane holds it")
    product = {
        **op,
        "instruction": TEXT,
        "extents": said(exactly(3, COUNT), "m, n, k of the instruction"),
        "tile": said(exactly(3, COUNT), "m, n, k of the product"),
        "warps": said(COUNT, "that execute it together"),
        "count": said(COUNT, "instructions of a warp"),
        "read": record({"lhs": TEXT, "rhs": TEXT}),
        **dict.fromkeys(("lhs", "rhs", "acc"), fragment),
    }
    slot = {"ring": TEXT, "turn": said(INTEGER, "how many turns behind that of iteration i")}
    step = {
        "kind": TEXT,
        "text": TEXT,
        "ops": said(every(COUNT), "their numbers in the file"),
        "slots": every(record(slot)),
        "of": said(INTEGER, "of which iteration, from i on, if it is about no slot"),
    }
    role = {
        "name": said(maybe(TEXT), "null for all warps"),
        **dict.fromkeys(("warps", "working", "first", "registers"), maybe(COUNT)),
        "ahead": said(COUNT, "iterations that are started before the loop"),
        "before": every(record(step)),
        "steps": every(record(step)),
    }
    ring = {"name": TEXT, "memory": said(COUNT, "an index of memory")}
    loop = {"op": maybe(COUNT), "rings": every(record(ring)), "roles": every(record(role))}
    return record(
        {
            "layouts": every(record(layout)),
            "memory": every(record(order)),
            "tiles": every(record(tile)),
            "accesses": every(record(access)),
            "products": every(record(product)),
            "loops": every(record(loop)),
        }
    )


def footprints() -> Schema:
    """Return the schema of which elements of arrays some blocks of a launch access."""
    block = exactly(3, COUNT)
    box = said(exactly(4, COUNT), "first row, the one behind the last, the same of columns")
    touched = {
        "block": said(COUNT, "an index of blocks"),
        "kind": choice("read", "written", "atomic"),
        "elements": said(maybe(COUNT), "null if the array is too large to know"),
        "boxes": said(every(box), "rows count all dimensions but the last"),
        "others": said(maybe(COUNT), "elements that are in none of the boxes"),
    }
    array = {
        "parameter": COUNT,
        "array": said(maybe(COUNT), "which array of the kernel, if that is known"),
        "element": TEXT,
        "shape": every(COUNT),
        "touched": every(record(touched)),
    }
    return record(
        {
            "grid": block,
            "blocks": said(every(block), "the first one was asked for; those beside it follow"),
            "problem": said(maybe(TEXT), "what a block ran into"),
            "arrays": every(record(array)),
        }
    )
