"""Fixtures through `launch` on whatever driver there is.

``python -m tests.codegen.device.launched NAME TARGET`` does one of them.
"""

from __future__ import annotations

import sys

from tests.launches import Launch, newest
from tileir import compile
from tileir.codegen.device.copies import copied


def check_fixture(name: str, target: str) -> None:
    """Launch a fixture on its arrays; UnsupportedError if it cannot be compiled."""
    about = Launch(name)
    kernel, arrays = compile(newest(name), target)[about.entry], about.arrays()
    with copied(about.arguments(arrays)) as arguments:
        kernel.launch(about.grid, arguments)
    about.check(arrays)


if __name__ == "__main__":
    check_fixture(*sys.argv[1:])
