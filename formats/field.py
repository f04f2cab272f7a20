"""A documented field of a record.

Construct's ``"name" / node * "doc"`` wraps a node twice, so that every walk of the tree would have
to unwrap it twice. Here one `Renamed` has both.
"""

from __future__ import annotations

from construct import Construct, Renamed


def field(name: str, node: Construct, doc: str) -> Renamed:
    """Return the field `name` with the layout `node`; `doc` has its meaning in a sentence."""
    return Renamed(node, newname=name, newdocs=doc)
