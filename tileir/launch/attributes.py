"""Attributes about launching that a text may have and bytecode cannot hold.

Some are attributes of the MLIR module around the Tile IR module, such as ``tt.num_warps`` and
``nv_tileaa.compute_capability``, others of single entries, such as ``nvvm.maxnreg``. They are kept
beside the module, for the compiler; written bytecode does not have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Plain = "bool | int | float | str | tuple[Plain, ...] | Mapping[str, Plain]"
"""The value of a launch attribute. One that fits no other type is its spelling, a str."""

MODULE_NAME = "kernels"
"""The name of a module that was read from bytecode, which does not store it."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LaunchAttributes:
    """Launch attributes by name, as plain values.

    module   attributes of the MLIR module around the Tile IR module; they apply to every entry
    entries  entry symbol -> attributes of that entry
    names    names that the text gives to these two modules; for a module read from bytecode,
             every tool uses the name ``kernels``
    """

    module: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    entries: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: NOTHING)
    names: tuple[str, ...] = ()

    def __reduce__(self) -> tuple:
        """Mappings that cannot be changed cannot be pickled either; dictionaries can."""
        return LaunchAttributes, (_plain(self.module), _plain(self.entries), self.names)

    def __bool__(self) -> bool:
        return bool(self.module) or any(self.entries.values())

    def of(self, entry: str) -> Mapping[str, object]:
        """Return the attributes that apply to an entry; its own override those of the module."""
        return MappingProxyType({**self.module, **self.entries.get(entry, {})})

    def spelled(self) -> Iterator[str]:
        """Yield a phrase for each attribute, for a message about what bytecode leaves out."""
        for name in self.names:
            yield f"the name of module @{name}"
        for name in self.module:
            yield f"{name} of the module"
        for entry, attributes in self.entries.items():
            for name in attributes:
                yield f"{name} of entry {entry}"


def _plain(value: Any) -> Any:
    """Return a value with dictionaries in the place of other mappings."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


NONE = LaunchAttributes()
"""The launch attributes of a parsed file: it has none."""
