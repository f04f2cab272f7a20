"""What the child does with a variant: it compiles it, and asks ptxas what its kernels take."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import tileir
from tileir.batches.protocol import Request, Response
from tileir.command_line.exit_codes import NO, OUTSIDE, UsageError
from tileir.commands.modules import check_entry, module_in
from tileir.errors import MissingPackageError, TileIRError, ToolError
from tileir.resources.of_kernels import resources_of
from tileir.resources.report import as_json
from tileir.tools import nvidia

MEASURE = f"{__name__}:measure"
"""`measure`, as a supervisor wants functions."""

MISSING = "missing"
"""The failure of a machine, not of a variant: a package or a tool is not there."""
TOOLS = ("ptxas", "nvdisasm")


def measure(data: bytes) -> bytes:
    """Return the bytes of the response to a request; its result is what `taken` returns."""
    request = Request.unpacked(data)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each variant would repeat what the module is warned of
        try:
            bytecode = module_in(request.parts[0], request.name)
            for name in listed(request.options.get("symbols")):
                check_entry(bytecode, name)
            compiled = tileir.compile(bytecode, request.target, **request.options)
            made = Response(result=taken(compiled))
        except MissingPackageError as error:
            made = Response(OUTSIDE, MISSING, str(error))
        except ToolError as error:
            missing = not all(map(nvidia.find, TOOLS))
            made = Response(NO, MISSING if missing else "ToolError", str(error))
        except (TileIRError, UsageError) as error:
            made = Response(NO, type(error).__name__, str(error))
    made.seconds = round(time.perf_counter() - started, 6)
    return made.packed()


def listed(names: str | Iterable[str] | None) -> list[str]:
    """Return the names of entries that an option has."""
    return [names] if isinstance(names, str) else list(names or ())


def taken(compiled: Any) -> list[Mapping[str, Any]]:
    """Return what the kernels of a compilation take, as `tileir resources --json` has it.

    For the host that is nothing: there are no such figures. ToolError if ptxas refuses it.
    """
    return [] if compiled.ptx is None else list(map(as_json, resources_of(compiled)))
