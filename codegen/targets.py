"""Which package generates code for a target, and which GPU the text of a module names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tileir.attributes import spell
from tileir.errors import Diagnostic, UnsupportedError
from tileir.gpus import GPUS, HOST, TARGETS, gpu_of_number, unknown
from tileir.read.text_positions import located

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode

CAPABILITY, SPELLED = "nv_tileaa.compute_capability", "nv_tileaa.target_spec"
"""Attributes of a text's module that say which GPU it is for: 90 for sm_90, or the name itself."""


def named_target(bytecode: Bytecode) -> str | None:
    """Return the GPU that the text of a module names, if any; UnsupportedError if unknown."""
    module = bytecode.launch_attributes.module
    if CAPABILITY in module:
        attribute, name = CAPABILITY, gpu_of_number(module[CAPABILITY])
    elif SPELLED in module:
        attribute, name = SPELLED, module[SPELLED]
    else:
        return None
    if not isinstance(name, str) or name not in TARGETS:
        said = f"{attribute} is {spell(module[attribute])}"
        problem = f"{said}, which is no GPU; known are {', '.join(GPUS)}"
        diagnostics = located([Diagnostic("error", "launch-contract", problem)], bytecode)
        raise UnsupportedError("the text is for a GPU that is none:", diagnostics)
    return TARGETS[name].gpu


def no_gpu(asker: str, target: str, host: bool = False) -> str:
    """Return the message if `asker` needs a GPU and none is named; `target` is how to name one.

    `host` tells that the CPU is named.
    """
    if host:
        return f"{HOST} is this machine's CPU, and {asker} needs {target}, such as sm_90"
    return (
        f"no GPU is named, which {asker} needs; give {target},"
        f" such as sm_90, or {CAPABILITY} = 90 to the module of a text"
    )


def package_of(target: str) -> str:
    """Return the package beside this file that compiles for a target; UnsupportedError if unknown.

    Every such package has `compile_kernels(kernels, target)`, `why_not(op, target)` and
    `identity(target)`, which identifies the machine that its code depends on. Compilations are
    cached: they have `keep(slot)`, and the package has `KEPT_AS`, the kind of the slot, and
    `restore(slot, again)`, which gives None for a slot that holds none.
    """
    if not isinstance(target, str):
        raise TypeError(f"expected the name of a target, got {target!r}")
    if target == HOST:
        return "host"
    if target in TARGETS:
        return "nvptx"
    raise unknown(target, (HOST, *TARGETS))
