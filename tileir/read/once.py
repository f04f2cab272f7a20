"""Attributes that are computed when first asked for, and only once, however many threads ask.

`functools.cached_property` did that up to Python 3.11. Since 3.12, two threads that ask at the same
time get different objects, which breaks what is compared by identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801  used like a keyword, as `property` is
    """An attribute whose value the method computes; its object has a `forks.Lock` named `_lock`.

    It can be assigned to like any other attribute. A method that raises is called again next time.
    """

    def __init__(self, method: Callable[[Any], T]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    if TYPE_CHECKING:  # at run time an attribute of the instance comes first

        def __set__(self, instance: object, value: T) -> None: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        with instance._lock:
            attributes = vars(instance)
            if self._name not in attributes:
                attributes[self._name] = self._method(instance)
            return attributes[self._name]
