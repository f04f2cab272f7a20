"""What a child is told to compute instead of the stages: a stage that ends the process."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

from tileir.bisect.stages import stages_made
from tileir.codegen import pipeline

CRASHING = "assign_layouts"


def stages_that_crash(data: bytes) -> bytes:
    """Compile, until a stage crashes the process as LLVM may."""
    of = pipeline.stage_of

    def planted(family: str, name: str) -> Any:
        return of(family, name) if name != CRASHING else lambda state: os.abort()

    with mock.patch.object(pipeline, "stage_of", planted):
        return stages_made(data)
