"""What the compilers with defects crash at."""

from __future__ import annotations

from . import patterns

P = patterns.Pattern

CRASHES = {
    "shifted sum in a loop": P("addi", of=(P("muli"),), inside=("for",)),
    "flushed power of a broadcast": P("exp2", {"flush_to_zero": True}),
    "reduction of dimension 1": P("reduce", {"dim": 1}, inside=("if",)),
    "scan backwards of several": P("scan", {"reverse": True}, in_region=P("maxi")),
    "loads chosen from": P("select", of=(P("load_view_tko"), P("load_view_tko"))),
    "product in nested loops": P("mmaf", inside=("for", "loop")),
    "store of a carried value": P("store_view_tko", of=(P("xori"), P("make_partition_view"))),
    "insertion of a large tile": P("insert", of=(P("load_view_tko"),), least=32),
    "loop behind a condition": P("loop", of=(P("load_view_tko"),), in_region=P("cmpi")),
    "bits of a loaded tile": P("bitcast", of=(P("load_ptr_tko"),)),
    "masked maximum in memory": P("atomic_rmw_tko", {"mode": "umax"}, of=(P("offset"),)),
    "loops in loops": P("for", inside=("loop",)),
}
"""Name -> where it crashes."""
