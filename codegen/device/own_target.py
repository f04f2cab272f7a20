"""The GPU of this machine as a target to compile for."""

from __future__ import annotations

from tileir.gpus import newest_run_by

from . import driver


def own_target() -> str:
    """Return the newest target that the current GPU runs; DeviceError if there is no GPU."""
    driver.start()
    return newest_run_by(driver.capability(driver.current_device()))
