"""What the parts of a body have in common: children, the values in them, their uses, and copies."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Self

from tileir.formats.forks import Lock

from .children import Children, Node

_TRACKING = Lock()


class Part(Node):
    """A node whose children are in a list, and whose uses may be tracked."""

    __slots__ = ()

    parent: Part | None

    @property
    def inside(self) -> Children:
        """The nodes directly inside: ops of a block, blocks of a region, regions of an op."""
        raise NotImplementedError

    def children(self) -> Iterator[Part]:
        """Yield the nodes directly inside; objects that are none are left out."""
        inside = self.inside
        return (
            (child for child in inside if isinstance(child, Part))
            if isinstance(inside, list)
            else iter(())
        )

    @property
    def root(self) -> Part:
        """The outermost node around this one: the body, if it is part of one."""
        node: Part = self
        while node.parent is not None:
            node = node.parent
        return node

    def nodes(self) -> Iterator[Part]:
        """Yield this node and all nodes in it, in pre-order."""
        stack: list[Part] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed([*node.children()])

    def own_values(self) -> Iterable[Any]:
        """Return the results of an op, the arguments of a block; nothing for other nodes."""
        return ()

    def defined(self) -> Iterator[Any]:
        """Yield the values that this node and the nodes in it define."""
        for node in self.nodes():
            yield from node.own_values()

    # Uses ---------------------------------------------------------------------------------------

    def register(self, inside: Container[Any] | None = None) -> None:
        """Enter an op among the users of its operands, if they are `inside`; others have none."""

    def unregister(self) -> None:
        """Take an op out of the users of its operands."""

    def track(self) -> None:
        """Keep the uses in this node true from now on.

        What is no part of a body, or only now becomes one, is tracked by itself: it does not count
        among the users of values around it before it is there.
        """
        with _TRACKING:  # several threads may ask for the first time
            inside = None if self.tracks_all else set(self.defined())
            for node in self.nodes():
                node.register(inside)
            for node in self.nodes():
                node.tracked = True

    @property
    def tracks_all(self) -> bool:
        """Whether this is part of a tracked node or a body, so that all uses count."""
        return self.parent is not None

    def adopted(self, child: Node) -> None:
        """Note that a child was put into the list."""
        if self.tracked and isinstance(child, Part):
            child.track()

    def released(self, child: Node) -> None:
        """Note that a child was taken out of the list: it is no user of anything then."""
        if self.tracked and isinstance(child, Part):
            for node in child.nodes():
                node.unregister()
                node.tracked = False

    # Copies -------------------------------------------------------------------------------------

    def shell(self, values: dict[Any, Any]) -> Self:
        """Return a copy without children and operands; new values are entered into `values`."""
        raise NotImplementedError

    def clone(self, values: dict[Any, Any] | None = None) -> Self:
        """Return a copy of all of it, which has no parent.

        It uses the values that it did not define itself as this one does, or those that `values`
        has in their place. Each value that it defines is entered into `values` with its copy.
        """
        values = {} if values is None else values
        made = self.shell(values)
        pairs: list[tuple[Part, Part]] = [(self, made)]
        for node, copy in pairs:
            inner = [(child, child.shell(values)) for child in node.children()]
            if inner:
                copy.inside.extend(child for _, child in inner)
                pairs += inner
        for node, copy in pairs:
            copy.use_copies(node, values)
        return made

    def use_copies(self, original: Part, values: Mapping[Any, Any]) -> None:
        """Give a copied op the operands of the original, or their copies."""

    def __deepcopy__(self, memo: dict) -> Self:
        return self.clone()

    def __reduce__(self):
        raise TypeError("parts of a body cannot be pickled by themselves; pickle the Bytecode")
