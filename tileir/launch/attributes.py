"""What a kernel's author says about launching it, where bytecode has no place for it.

Texts may carry attributes that bytecode cannot hold: of the shell around a module, as
``tt.num_warps`` and ``nv_tileaa.compute_capability`` are, and of single entries, as
``nvvm.maxnreg`` is. They are kept beside the module, for the compiler; written bytecode is without
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

Plain = "bool | int | float | str | tuple[Plain, ...] | Mapping[str, Plain]"
"""The value of a launch attribute. What no other type fits is its spelling, a str."""

MODULE_NAME = "kernels"
"""What a module is called whose name nobody knows, because bytecode does not have it."""

NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LaunchAttributes:
    """Attributes by name, as plain values.

    module   of the shell around the module, and so of every entry
    entries  entry symbol -> its own
    names    names that the text gives to the module and the shell around it; of a file that is
             read, every tool takes ``kernels`` for the name
    """

    module: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    entries: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: NOTHING)
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.module) or any(self.entries.values())

    def of(self, entry: str) -> Mapping[str, object]:
        """All that hold for an entry; its own come before those of the module."""
        return MappingProxyType({**self.module, **self.entries.get(entry, {})})

    def spelled(self) -> Iterator[str]:
        """Each in words, for those who are told what written bytecode is without."""
        for name in self.names:
            yield f"the name of module @{name}"
        for name in self.module:
            yield f"{name} of the module"
        for entry, attributes in self.entries.items():
            for name in attributes:
                yield f"{name} of entry {entry}"


NONE = LaunchAttributes()
"""Of a file that was parsed."""
