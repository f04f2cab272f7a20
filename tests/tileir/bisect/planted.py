"""What a child computes instead of the stages: they end the process, or fail at the end."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from tileir.bisect.stages import stages_made
from tileir.codegen import pipeline

CRASHING = "assign_layouts"


def stages_and_a_fault_behind(data: bytes) -> bytes:
    """Compile to the end, and fail in what is done with the result."""
    run = pipeline.run

    def planted(*given: Any, **options: Any) -> Any:
        if run(*given, **options):
            raise AssertionError("behind all of it")
        return False

    with mock.patch.object(pipeline, "run", planted):
        return stages_made(data)


def stages_that_crash(data: bytes) -> bytes:
    """Compile, until a stage crashes the process as LLVM may."""
    of = pipeline.stage_of

    def planted(family: str, name: str) -> Any:
        return of(family, name) if name != CRASHING else lambda state: os.abort()

    with mock.patch.object(pipeline, "stage_of", planted):
        return stages_made(data)
