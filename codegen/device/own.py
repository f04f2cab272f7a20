"""The GPU of this machine as a target to compile for."""

from __future__ import annotations

from tileir.gpus import newest_run_by

from . import driver


def own_target() -> str:
    """The newest target whose code the current GPU runs; DeviceError where there is none."""
    driver.start()
    return newest_run_by(driver.capability(driver.current_device()))
