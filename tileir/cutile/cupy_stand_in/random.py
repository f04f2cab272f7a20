"""`cupy.random`: NumPy's random numbers, as arrays of the device; the numbers are other ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import forwarded, wrapped

_TYPED = ("rand", "randn", "random", "random_sample", "normal", "standard_normal", "uniform",
          "exponential", "gamma", "beta", "poisson", "binomial", "lognormal")  # fmt: skip
"""Functions that take a type of element, other than NumPy's."""


class Generator:
    """A generator of random numbers, with the methods of NumPy's."""

    def __init__(self, bit_generator: Any) -> None:
        self._host = np.random.Generator(bit_generator)

    @property
    def bit_generator(self) -> Any:
        """What the numbers are made from."""
        return self._host.bit_generator

    def __getattr__(self, name: str) -> Any:
        return forwarded(getattr(self._host, name))


XORWOW = MRG32k3a = Philox4x3210 = np.random.Philox


def default_rng(seed: Any = None) -> Generator:
    """Return a generator; None for a seed from the system."""
    return Generator(np.random.Philox(seed))


class RandomState:
    """A generator of the older kind; the functions of this module are methods of one."""

    def __init__(self, seed: Any = None, method: Any = None) -> None:
        self._host = np.random.RandomState(seed)

    def seed(self, seed: Any = None) -> None:
        """Begin anew; None for a seed from the system."""
        self._host.seed(seed)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._host, name)
        if name not in _TYPED:
            return forwarded(function)

        def draw(*arguments: Any, dtype: Any = float, **options: Any) -> Any:
            return wrapped(np.asarray(function(*arguments, **options)).astype(dtype, copy=False))

        return draw


_state = RandomState()


def get_random_state() -> RandomState:
    """Return the generator behind the functions of this module."""
    return _state


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_state, name)
