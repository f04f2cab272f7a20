"""Random numbers of the device: a generator of the CPU that says it is the device's.

What a CPU kernel draws from is a generator for CPUs; the device has one of its own, so that drawing
on the device does not change what a program draws on the CPU. Only an op of another library that
takes no generator borrows the default one of the CPU, which other threads should not draw from
meanwhile.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

from tileir.formats.forks import Lock

_Base = torch._C.Generator


_known: WeakValueDictionary[int, Any] = WeakValueDictionary()
"""The device's generators, by the address of what C++ has of them: torch wraps that anew when it
passes a generator on."""


def _implementation(generator: Any) -> int:
    """Return the address of a generator in C++, which follows the head of the Python object."""
    return ctypes.c_uint64.from_address(id(generator) + object.__basicsize__).value


class _Kind(type(_Base)):
    """So that generators made before, and by C++, are instances, too."""

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, _Base)

    def __call__(self, device: Any = "cpu") -> Any:
        if torch.device(device).type != "cuda":
            return _Base(device)
        made = type.__call__(self)
        _known[_implementation(made)] = made
        return made


class Generator(_Base, metaclass=_Kind):
    """The class `torch.Generator`: a generator of the device, or, for others, torch's own."""

    @property
    def device(self) -> Any:
        """The device whose numbers these are."""
        return torch.device("cuda", 0)

    def clone_state(self) -> Any:
        """Return a generator with the same state."""
        other = Generator("cuda")
        other.set_state(self.get_state())
        return other


Generator.__module__, Generator.__qualname__ = "torch._C", "Generator"


def of_device(generator: Any) -> bool:
    """Whether a generator draws numbers for the device."""
    return _implementation(generator) in _known


def with_generator(op: Any) -> Any:
    """Return the overload of an op that takes a generator, too; the op itself if there is none."""
    wanted = {(a.name, str(a.type)) for a in op._schema.arguments}
    packet = op.overloadpacket
    for name in packet.overloads():
        other = getattr(packet, name)
        arguments = {(a.name, str(a.type)) for a in other._schema.arguments}
        if {n for n, _ in arguments - wanted} == {"generator"} and wanted <= arguments:
            return other
    return op


def native_dropout(tensor: Any, p: float, train: bool | None) -> Any:
    """Return a tensor with some elements dropped, and which are kept, as the CPU's kernel does."""
    if not tensor.numel():
        return tensor, torch.empty_like(tensor)
    if train is False:
        return tensor.clone(), torch.ones_like(tensor, dtype=torch.bool)
    kept = 1 - p
    mask = torch.empty_like(tensor, dtype=torch.bool).bernoulli_(kept)
    return tensor.mul(mask).mul_(1 / kept if kept else 0), mask


_borrowed = Lock()
"""Held while the CPU's default generator draws for the device."""


@contextmanager
def as_default(generator: Any) -> Any:
    """Draw what CPU kernels take from torch's default generator from another one.

    The device's threads do so one after the other.
    """
    default = torch.default_generator
    with _borrowed:
        before = default.get_state()
        default.set_state(generator.get_state())
        try:
            yield
        finally:
            generator.set_state(default.get_state())
            default.set_state(before)
