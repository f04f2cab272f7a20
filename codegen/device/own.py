"""The GPU of this machine as a target to compile for."""

from __future__ import annotations

from tileir.codegen.nvptx.machine.targets import TARGETS
from tileir.errors import UnsupportedError

from . import driver


def own_target() -> str:
    """Return the newest target that the current GPU runs; DeviceError if there is no GPU."""
    driver.start()
    return target_for(driver.capability(driver.current_device()))


def target_for(capability: tuple[int, int]) -> str:
    """Return the newest target whose PTX a GPU of this compute capability runs."""
    known = {divmod(int(name.removeprefix("sm_")), 10): name for name in TARGETS}
    fitting = [each for each in known if each <= capability]
    if not fitting:
        major, minor = capability
        raise UnsupportedError(f"the GPU is an sm_{major}{minor}, older than {next(iter(TARGETS))}")
    return known[max(fitting)]
