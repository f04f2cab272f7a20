"""The arguments of a launch: NumPy arrays in a form that cuTile takes, and the memory of arrays.

cuTile takes only arrays in GPU memory, and passes addresses on. Each address is recorded with the
memory region behind it, so that a launch can refuse writes to read-only arrays and check accesses
against the bounds of arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from tileir.errors import LaunchError
from tileir.launch.array_address import address_of


class DeviceArray:
    """An array with the interface by which libraries share GPU memory; it keeps the array alive."""

    __slots__ = ("__cuda_array_interface__", "_array")

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        flags = array.flags
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": array.dtype.str,
            "shape": array.shape,
            "strides": None if flags.c_contiguous else array.strides,
            "data": (address_of(array), not flags.writeable),
        }


_CONSTANTS = frozenset({bool, float, int, str, type(None)})
"""Types of arguments that have no memory."""

_tensors: set[type] = set()
"""torch's classes of tensors, and those derived from them, as far as arguments had them."""


def offered_at_once(arguments: Sequence[Any]) -> list[Any] | None:
    """Return arguments in a form that cuTile takes if that is all there is to do; else None.

    That is where nothing has to know the memory behind them: there are only numbers, arrays to
    which a kernel may write, and tensors, and none of them is to be refused.
    """
    offered = []
    for argument in arguments:
        kind = type(argument)
        if kind in _tensors:
            if not argument.is_cuda:
                if not argument.is_cpu:
                    return None
                argument = _on_device(argument)
        elif kind is np.ndarray:
            flags = argument.flags
            if not (flags.c_contiguous and flags.writeable):
                return None
            argument = DeviceArray(argument)
        elif kind not in _CONSTANTS:
            return None
        offered.append(argument)
    return offered


class Region(NamedTuple):
    """Memory behind an address: the name of the argument, the size, and whether it is writable."""

    name: str
    nbytes: int
    writable: bool


def region_at(address: int, known: Mapping[int, Region]) -> Region | None:
    """Return the memory from an address on, in the array that starts there or else contains it."""
    if address in known:
        return known[address]
    for start, (name, nbytes, writable) in known.items():
        if start < address < start + nbytes:
            return Region(name, start + nbytes - address, writable)
    return None


def _on_device(tensor: Any) -> Any:
    from .torch_stand_in.tensors import on_device

    return on_device(tensor)


class Arguments:
    """The arguments of one launch.

    offered  the arguments, with every NumPy array in a form that cuTile takes
    regions  address -> memory region, for all arrays and tensors in them

    LaunchError for an array with negative strides, because cuTile's bytecode assumes that strides
    are not negative, and for a tensor that is neither on the CPU nor on device "cuda".
    """

    def __init__(self, names: Iterable[str], arguments: tuple[Any, ...]) -> None:
        self.regions: dict[int, Region] = {}
        names = [*names, *("" for _ in arguments)]
        pairs = zip(arguments, names, strict=False)
        self.offered = tuple(self._offered(argument, name) for argument, name in pairs)

    def _offered(self, argument: Any, name: str) -> Any:
        if isinstance(argument, np.ndarray):
            return self._array(argument, name)
        if type(argument) in (tuple, list):
            items = (self._offered(a, f"{name}[{n}]") for n, a in enumerate(argument))
            return type(argument)(items)
        if is_dataclass(argument) and not isinstance(argument, type):
            for field in fields(argument):
                self._offered(getattr(argument, field.name), f"{name}.{field.name}")
        elif hasattr(argument, "untyped_storage"):
            _tensors.add(type(argument))
            return self._tensor(argument, name)
        elif (interface := getattr(argument, "__cuda_array_interface__", None)) is not None:
            self._interface(interface, name)
        return argument

    def _interface(self, interface: Mapping[str, Any], name: str) -> None:
        """Record what an array of another library says of its memory."""
        itemsize = np.dtype(interface["typestr"]).itemsize
        shape, strides = interface["shape"], interface.get("strides")
        if strides is None:
            nbytes = itemsize * math.prod(shape)
        else:
            nbytes = sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) + itemsize
        address, read_only = interface["data"]
        self._add(address, name, nbytes if all(shape) else 0, not read_only)

    def _array(self, array: np.ndarray, name: str) -> DeviceArray:
        spans = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
        if array.size and any(span < 0 for span in spans):
            raise LaunchError(f"argument {name} has negative strides, which cuTile cannot express")
        nbytes = sum(spans) + array.itemsize if array.size else 0
        self._add(address_of(array), name, nbytes, array.flags.writeable)
        return DeviceArray(array)

    def _tensor(self, tensor: Any, name: str) -> Any:
        if tensor.device.type not in ("cpu", "cuda"):
            raise LaunchError(f'argument {name} is a tensor on device {tensor.device}, not "cuda"')
        storage, address = tensor.untyped_storage(), tensor.data_ptr()
        self._add(address, name, storage.data_ptr() + storage.nbytes() - address, True)
        return tensor if tensor.is_cuda else _on_device(tensor)

    def _add(self, address: int, name: str, nbytes: int, writable: bool) -> None:
        """Record a region; two arrays that start at the same address share one, with both names."""
        old = self.regions.get(address, Region(name, 0, False))
        name = old.name if name in old.name.split(" or ") else f"{old.name} or {name}"
        region = Region(name, max(nbytes, old.nbytes), writable or old.writable)
        self.regions[address] = region
