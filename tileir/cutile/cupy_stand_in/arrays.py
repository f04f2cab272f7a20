"""Arrays of cupy whose memory is the process's, and NumPy's functions on them.

An array holds a NumPy array and is none: like cupy's it gives NumPy its elements only when asked
to, and what a function returns is an array of no dimensions rather than a number.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tileir.cutile import dlpack


class ndarray:  # noqa: N801  as it is called in cupy
    """An array on the device."""

    __slots__ = ("__weakref__", "_host")
    __array_priority__ = 100

    def __new__(
        cls, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None,
        order: Any = "C",
    ) -> ndarray:  # fmt: skip
        """Make an array of a shape, with whatever its memory has; on `memptr`, which has a base."""
        if memptr is None:
            return wrapped(np.empty(shape, dtype, order))
        return wrapped(np.ndarray(shape, dtype, memptr.mem.data, memptr.offset, strides, order))

    def get(self, stream: Any = None, order: Any = "C", out: Any = None, blocking: Any = True):
        """Return a copy as an array of NumPy, or copy into one."""
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def set(self, arr: np.ndarray, stream: Any = None) -> None:
        """Copy an array of NumPy into this one."""
        if arr.dtype != self._host.dtype or arr.shape != self._host.shape:
            raise TypeError(
                f"{arr.dtype}{arr.shape} array cannot be set to {self.dtype}{self.shape}"
            )
        self._host[...] = arr

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface = dict(self._host.__array_interface__)
        return {**interface, "version": 3, "stream": 1}

    def __dlpack__(self, **options: Any) -> Any:
        return dlpack.moved(self._host.__dlpack__(), dlpack.CUDA)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, 0

    @property
    def device(self) -> Any:
        """The only device."""
        from .cuda import Device

        return Device(0)

    @property
    def data(self) -> Any:
        """The memory of the array; `ptr` is its address."""
        from .cuda import MemoryPointer

        return MemoryPointer(self._host)

    @property
    def T(self) -> ndarray:  # noqa: N802  as with NumPy
        return wrapped(self._host.T)

    def __array__(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct "
            "a NumPy array explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return called(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        return called(function, inputs, options)

    def __getattr__(self, name: str) -> Any:
        """Return a method or property of NumPy's, but not what would let NumPy in by itself."""
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            found = getattr(self._host, name)
        except AttributeError:
            raise _no_attribute(name) from None
        return forwarded(found) if callable(found) else wrapped(found)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_host":
            object.__setattr__(self, name, value)
        elif hasattr(self._host, name):
            setattr(self._host, name, unwrapped(value))
        else:
            raise _no_attribute(name)

    def __repr__(self) -> str:
        return repr(self._host)

    def __str__(self) -> str:
        return str(self._host)

    def __format__(self, form: str) -> str:
        return format(self._host[()] if not self._host.ndim else self._host, form)

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Any:
        return map(wrapped, list(self._host))

    def __getitem__(self, index: Any) -> Any:
        return wrapped(self._host[unwrapped(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._host[unwrapped(index)] = unwrapped(value)

    def __reduce__(self) -> Any:
        return array, (self._host,)

    def __deepcopy__(self, memo: Any) -> ndarray:
        return wrapped(self._host.copy())

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as with NumPy


_BINARY = (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and",
    "or", "xor", "divmod",
)  # fmt: skip
_COMPARING = ("lt", "le", "eq", "ne", "gt", "ge")
_UNARY = ("neg", "pos", "abs", "invert")
_NUMBERS = {"bool": bool, "int": int, "float": float, "complex": complex, "index": operator.index}


def _define_operators() -> None:
    """Define the operators of arrays as NumPy's."""
    reflected = [f"r{name}" for name in _BINARY]
    updating = [f"i{name}" for name in _BINARY if name != "divmod"]
    for name in (*_BINARY, *reflected, *_COMPARING):
        setattr(ndarray, f"__{name}__", _operator(f"__{name}__"))
    for name in updating:
        setattr(ndarray, f"__{name}__", _updating(f"__{name}__"))
    for name in _UNARY:
        setattr(ndarray, f"__{name}__", _unary(f"__{name}__"))
    for name, kind in _NUMBERS.items():
        setattr(ndarray, f"__{name}__", _number(kind))


def _operator(name: str) -> Callable[..., Any]:
    def apply(self: ndarray, *others: Any) -> Any:
        return wrapped(getattr(self._host, name)(*map(unwrapped, others)))

    return apply


def _updating(name: str) -> Callable[..., Any]:
    def apply(self: ndarray, other: Any) -> ndarray:
        self._host = getattr(self._host, name)(unwrapped(other))
        return self

    return apply


def _unary(name: str) -> Callable[..., Any]:
    return lambda self: wrapped(getattr(self._host, name)())


def _number(kind: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self: kind(self._host)


_define_operators()


def _no_attribute(name: str) -> AttributeError:
    return AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")


def wrapped(value: Any) -> Any:
    """Return a result of NumPy as cupy has it: arrays, also in tuples and lists, on the device."""
    if isinstance(value, np.ndarray | np.generic):
        made = object.__new__(ndarray)
        made._host = np.asarray(value)
        return made
    if type(value) in (tuple, list):
        return type(value)(map(wrapped, value))
    make = getattr(value, "_make", None)  # of what NumPy returns under names, as `linalg.qr`
    if make is not None:
        return make(map(wrapped, value))
    return value


def unwrapped(value: Any) -> Any:
    """Return an argument as NumPy takes it. TypeError for an array of NumPy, as from cupy."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError(f"Unsupported type {type(value)}")
    if type(value) in (tuple, list):
        return [*map(unwrapped, value)] if type(value) is list else tuple(map(unwrapped, value))
    return value


def called(function: Callable[..., Any], arguments: Any, options: Any) -> Any:
    """Call a function of NumPy's on arrays of the device."""
    given = {name: unwrapped(value) for name, value in options.items()}
    result = function(*map(unwrapped, arguments), **given)
    out = options.get("out")
    if isinstance(out, tuple):
        outs = out
    elif out is not None:
        return out
    else:
        outs = arguments[function.nin :] if isinstance(function, np.ufunc) else ()
    if isinstance(result, tuple):
        return tuple(_given(one, outs) for one in result)
    return _given(result, outs)


def _given(result: Any, outs: Any) -> Any:
    """Return the array of the device that a result was written to, or a new one."""
    for out in outs:
        if isinstance(out, ndarray) and out._host is result:
            return out
    return wrapped(result)


def forwarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of cupy's that is one of NumPy's on arrays of the device."""

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"))
    def call(*arguments: Any, **options: Any) -> Any:
        return called(function, arguments, options)

    return call


def array(
    obj: Any, dtype: Any = None, copy: bool = True, order: Any = "K", subok: bool = False,
    ndmin: int = 0, **options: Any,
) -> ndarray:  # fmt: skip
    """Return an array of the device with the elements of anything, also of a tensor of torch."""
    return wrapped(np.array(_host(obj), dtype, copy=copy or None, order=order, ndmin=ndmin))


def asarray(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> ndarray:
    """Return an array of the device: what is given if it is one; else a copy from the CPU."""
    if isinstance(a, ndarray) and dtype in (None, a._host.dtype) and order in (None, "K"):
        return a
    on_device = hasattr(a, "__cuda_array_interface__")
    host = np.asarray(_host(a), dtype, order)
    return wrapped(host if on_device else np.array(host))


def _host(value: Any) -> Any:
    """Return anything with elements as NumPy takes it, on the same memory if it is the device's."""
    if isinstance(value, ndarray):
        return value._host
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        holder = type("Memory", (), {"__array_interface__": interface, "base": value})()
        return np.asarray(holder)
    if type(value) in (tuple, list):
        return type(value)(map(_host, value))
    return value


def asnumpy(a: Any, stream: Any = None, order: Any = "C", out: Any = None, **options: Any) -> Any:
    """Return a copy of an array as one of NumPy; what is not of the device, as NumPy does."""
    if isinstance(a, ndarray):
        return a.get(order=order, out=out)
    if out is None:
        return np.asarray(a, order=order)
    np.copyto(out, a)
    return out
