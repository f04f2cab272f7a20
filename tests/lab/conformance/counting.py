"""How many kernels the tests of this process launched: a test that launches none proves nothing."""

from __future__ import annotations

import functools
from typing import Any

from tileir.cutile.image import CpuKernel

launches = 0


@functools.cache
def count_launches() -> None:
    """Count the launches from now on, wherever they run; asked again, nothing changes."""
    launch = CpuKernel.launch

    @functools.wraps(launch)
    def counted(*arguments: Any, **options: Any) -> None:
        global launches
        launches += 1
        launch(*arguments, **options)

    CpuKernel.launch = counted
