"""Parents and children: regions of an op, blocks of a region, ops of a block.

A list of children keeps the `parent` of each true, however the list is changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeVar

from tileir.formats.errors import BuildError


class Node:
    """A part of a body: an op, block or region, or the body itself.

    parent   the node that contains it; None for a body, and for what is not part of one
    tracked  whether the uses of its values are kept up to date, see `uses`
    """

    __slots__ = ("parent", "tracked")

    def __init__(self) -> None:
        self.parent: Node | None = None
        self.tracked = False

    def adopted(self, child: Node) -> None:
        """Note that a child was put into a list of this node."""

    def released(self, child: Node) -> None:
        """Note that a child was taken out of a list of this node."""

    def reordered(self) -> None:
        """Note that the order of the children may be another one."""

    @property
    def inside(self) -> Any:
        """The nodes directly inside; an edited node may have anything there."""
        return ()

    def contains(self, node: Node | None) -> bool:
        """Whether a node is this one or inside of it."""
        inside = self.inside
        if isinstance(inside, Children) and not inside:
            return node is self
        while node is not None and node is not self:
            node = node.parent
        return node is self


N = TypeVar("N", bound=Node)


class Children(list[N]):
    """The children of a node, in order. A node has one parent at most: BuildError for a second.

    Objects of other classes are let in, as Python's lists do; `verify` and `build` refuse them.
    """

    __slots__ = ("owner",)

    def __init__(self, owner: Node, children: Iterable[N] = ()) -> None:
        super().__init__(children)
        self.owner = owner
        self.adopt()

    def adopt(self) -> None:
        """Become the parent of all children. BuildError if one has another parent."""
        for index, child in enumerate(self):
            if isinstance(child, Node):
                if child.parent is not None or child.contains(self.owner):
                    for earlier in self[:index]:
                        if isinstance(earlier, Node):
                            earlier.parent = None
                    raise BuildError(_why_not(child))
                child.parent = self.owner
        if self.owner.tracked:
            for child in self:
                if isinstance(child, Node):
                    self.owner.adopted(child)

    def release(self) -> None:
        """Give up all children, which stay in the list: it is no longer the parent's."""
        for child in self:
            self._release(child)

    def put(self, index: int, child: N) -> None:
        """Insert a child whose parent was checked."""
        super().insert(index, child)
        self._adopt(child)

    def _adopt(self, child: N) -> None:
        if isinstance(child, Node):
            child.parent = self.owner
            self.owner.adopted(child)
        else:
            self.owner.reordered()

    def _check(self, child: N) -> None:
        if isinstance(child, Node) and (child.parent is not None or child.contains(self.owner)):
            raise BuildError(_why_not(child))

    def take(self, index: int) -> N:
        """Take a child out."""
        child = super().pop(index)
        self._release(child)
        return child

    def _release(self, child: N) -> None:
        if isinstance(child, Node):
            child.parent = None
            self.owner.released(child)

    def _assign(self, new: list[N]) -> None:
        """Make `new` the contents: what is no longer in the list is released first."""
        kept = {id(child) for child in new}
        mine = {id(child) for child in self}
        nodes = [child for child in new if isinstance(child, Node)]
        if len({id(child) for child in nodes}) < len(nodes):
            raise BuildError("the same op, block or region would be in a list twice")
        for child in nodes:
            if id(child) not in mine:
                self._check(child)
        old = list(self)
        super().__setitem__(slice(None), new)
        self.owner.reordered()
        for child in old:
            if id(child) not in kept:
                self._release(child)
        for child in nodes:
            if child.parent is None:
                child.parent = self.owner
                self.owner.adopted(child)

    # Python's own methods -----------------------------------------------------------------------

    def append(self, child: N) -> None:
        """Add a child at the end."""
        self.insert(len(self), child)

    def insert(self, index: SupportsIndex, child: N) -> None:
        """Add a child before the one with that index."""
        self._check(child)
        self.put(index.__index__(), child)

    def extend(self, children: Iterable[N]) -> None:
        """Add children at the end."""
        self._assign([*self, *children])

    def pop(self, index: SupportsIndex = -1) -> N:
        """Take out the child with that index, and return it."""
        return self.take(index.__index__())

    def remove(self, child: N) -> None:
        """Take out a child."""
        self.take(self.index(child))

    def clear(self) -> None:
        """Take out all children."""
        self._assign([])

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Change the order, like `list.sort`."""
        self._assign(sorted(self, key=key, reverse=reverse))

    def reverse(self) -> None:
        """Reverse the order."""
        self._assign(self[::-1])

    def __setitem__(self, index, value) -> None:
        if isinstance(index, int):
            old = self[index]
            if value is not old:
                self._check(value)
                super().__setitem__(index, value)
                self._release(old)
                self.owner.reordered()
                self._adopt(value)
            return
        changed = list(self)
        changed[index] = value
        self._assign(changed)

    def __delitem__(self, index) -> None:
        if isinstance(index, int):
            self.take(index)
            return
        changed = list(self)
        del changed[index]
        self._assign(changed)

    def __iadd__(self, children: Iterable[N]):
        self.extend(children)
        return self

    def __imul__(self, times: SupportsIndex):
        self._assign(list(self) * times.__index__())
        return self


class NoChildren(Children[N]):
    """The empty list of all ops whose row has no regions, which stays empty."""

    __slots__ = ()

    def _assign(self, new: list[N]) -> None:
        raise BuildError("an op of this kind has no regions")

    def put(self, index: int, child: N) -> None:
        """Raise BuildError."""
        raise BuildError("an op of this kind has no regions")


def _why_not(child: Node) -> str:
    """Return what to say of a node that cannot be put somewhere."""
    return f"{child!r} cannot be put into itself" if child.parent is None else has_parent(child)


def has_parent(child: Node) -> str:
    """Return what to say of a node that is somewhere already."""
    return f"{child!r} is part of a body already; remove it there, or insert a clone"


def replaced(old: Children[N], new: object, owner: Node) -> Any:
    """Return the children of a node after an assignment to its whole list.

    What is no list is returned unchanged: `verify` and `build` report it.
    """
    if new is old:
        return old
    if isinstance(old, Children):
        old.release()
    try:
        return Children(owner, new) if isinstance(new, list) else new
    except BuildError:
        old.adopt()
        raise
