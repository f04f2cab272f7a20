"""A documented field of a record.

Construct's ``"name" / node * "doc"`` wraps a node twice, so that whoever walks the tree would have
to unwrap it twice. One `Renamed` holds both.
"""

from __future__ import annotations

from construct import Construct, Renamed


def field(name: str, node: Construct, doc: str) -> Renamed:
    """The field `name` with the layout `node`; `doc` says in a sentence what it means."""
    return Renamed(node, newname=name, newdocs=doc)
