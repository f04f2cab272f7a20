"""`tileir batch stats`: what is in modules, which versions can hold them, the work of kernels."""

from __future__ import annotations

import argparse
from typing import Any

from tileir.batches.protocol import Request, Response
from tileir.commands.modules import ignored_attributes, module_in
from tileir.stats.command import as_json
from tileir.stats.module_stats import stats_of

from . import NONE

SUMMARY = "count what is in modules: ops, types, bytes, versions, work"
TARGETS = NONE
FILES = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb: it has none."""


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options given."""
    return {}


def compute(request: Request) -> Response:
    """Return what is in a module, as `tileir stats --json` has it."""
    bytecode = module_in(request.parts[0], request.name)
    return Response(result=as_json(stats_of(bytecode)), warnings=[*ignored_attributes(bytecode)])
