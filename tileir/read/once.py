"""Attributes that are worked out when first asked for, and once, by however many threads.

`functools.cached_property` did that up to Python 3.11. Since then two threads that ask at the same
time get objects of their own, and what is compared by identity is no longer the same.
"""

from __future__ import annotations

from collections.abc import Callable


class once:  # noqa: N801  used like a keyword, as `property` is
    """An attribute with the value of the method; an object that has one keeps an RLock `_lock`.

    It can be assigned to like any other attribute. A method that raises is called again.
    """

    def __init__(self, method: Callable) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance, owner: type | None = None):
        if instance is None:
            return self
        with instance._lock:
            found = vars(instance)
            if self._name not in found:
                found[self._name] = self._method(instance)
            return found[self._name]
