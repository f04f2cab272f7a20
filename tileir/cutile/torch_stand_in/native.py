"""torch's C++ core believes in one CUDA device: what it asks of a device, answered in machine code.

A build of torch for CPUs knows the device "cuda" by name, has autograd and autocast for it, and
dispatches its ops; it lacks two objects through which it asks about devices, streams and memory.
The *device guard* is a pointer in a table by device type; the *hooks* are an object that exists and
answers that there is no CUDA. Both get a table of virtual functions of ours, which are constants:
device 0 is the only one and always the current one, its default stream the only one. The position
of a function is that of its declaration in the headers that torch is installed with. Nothing here
needs the interpreter, so any thread may ask at any time, also while Python ends.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from tileir.errors import UnsupportedError

from .names import unlike

_CODE = """
define i64 @zero() { ret i64 0 }
define i64 @one() { ret i64 1 }
define {i64, i64} @stream() { ret {i64, i64} {i64 1, i64 0} }
define i64 @event(ptr %this, ptr %event) {
  store ptr inttoptr (i64 1 to ptr), ptr %event
  ret i64 0
}
"""
"""Functions for all signatures: constants that ignore their arguments.

A C++ Device is two bytes, its type (CUDA is 1) and index, hence 1; a Stream is a Device and a
number. `event` makes an event something else than a null pointer, as recording it does.
"""

_GUARD = {
    "type": "one",
    "exchangeDevice": "one",
    "getDevice": "one",
    "setDevice": "zero",
    "uncheckedSetDevice": "zero",
    "getStream": "stream",
    "getDefaultStream": "stream",
    "getStreamFromGlobalPool": "stream",
    "getNewStream": "stream",
    "exchangeStream": "stream",
    "record": "event",
    "block": "zero",
    "queryEvent": "one",
    "deviceCount": "one",
    "queryStream": "one",
    "synchronizeStream": "zero",
    "synchronizeEvent": "zero",
    "synchronizeDevice": "zero",
}
"""Virtual function of `c10::impl::DeviceGuardImplInterface` -> function of `_CODE`."""

_HOOKS = {
    "isBuilt": "one",
    "isAvailable": "one",
    "hasPrimaryContext": "one",
    "init": "zero",
    "deviceCount": "one",
    "setCurrentDevice": "zero",
    "getCurrentDevice": "zero",
    "exchangeDevice": "zero",
    "maybeExchangeDevice": "zero",
    "getDeviceFromPtr": "one",
    "hasCUDA": "one",
    "hasCuDNN": "zero",
    "compiledWithCuDNN": "zero",
    "current_device": "zero",
    "getNumGPUs": "one",
    "deviceSynchronize": "zero",
}
"""Virtual function of `at::CUDAHooksInterface` and its base -> function of `_CODE`."""

_CPU_ALLOCATOR = "_ZN3c1015GetCPUAllocatorEv"
_GUARDS = "_ZN3c104impl26device_guard_impl_registryE"
_GET_HOOKS = "_ZN2at6detail12getCUDAHooksEv"
_CUDA, _META = 1, 14
"""Numbers of `c10::DeviceType`. The guard of Meta is the one with the fewest functions of its own,
from which those that are not replaced are taken."""

_kept: list[Any] = []
"""What C++ points at. Python does not let go of it when it ends, as C++ ends later."""

ctypes.pythonapi.Py_IncRef(ctypes.py_object(_kept))


def found(torch: Any) -> Callable[[], None]:
    """Return what makes torch's core believe in the device, after all that it needs is found.

    torch  the module, whose folders `lib` and `include` are read

    UnsupportedError if this torch is not like others.
    """
    folder = Path(torch.__file__).parent
    try:
        core, ops = (ctypes.CDLL(str(_library(folder, name))) for name in ("c10", "torch_cpu"))
        guards = (ctypes.c_void_p * (_META + 1)).in_dll(core, _GUARDS)
        allocator = ctypes.cast(getattr(core, _CPU_ALLOCATOR), ctypes.c_void_p).value or 0
        get_hooks = getattr(ops, _GET_HOOKS)
        guard = _positions(folder, "c10/core/impl/DeviceGuardImplInterface.h")
        hooks = _positions(
            folder, "ATen/detail/AcceleratorHooksInterface.h", "ATen/detail/CUDAHooksInterface.h"
        )
        replaced = [*((n, guard) for n in _GUARD), *((n, hooks) for n in _HOOKS)]
        missing = [name for name, table in replaced if name not in table]
    except (OSError, AttributeError, ValueError) as error:
        raise unlike(torch, str(error)) from None
    if missing:
        raise unlike(torch, f"no virtual function {missing[0]}")
    made = _compiled()
    functions = {name: made[function] for name, function in _GUARD.items()}
    stand_in = (ctypes.c_void_p * 1)(_table(_address(guards[_META]), guard, functions))
    _kept.append(stand_in)
    functions = {name: made[function] for name, function in _HOOKS.items()}
    functions["getPinnedMemoryAllocator"] = allocator
    get_hooks.restype = ctypes.c_void_p
    cell = ctypes.c_void_p.from_address(get_hooks())
    table = _table(cell.value, hooks, functions)

    def believe() -> None:
        guards[_CUDA] = ctypes.addressof(stand_in)
        cell.value = table

    return believe


def _library(folder: Path, name: str) -> Path:
    found = sorted(folder.glob(f"lib/*{name}.*"))
    if not found:
        raise OSError(f"it has no library {name}")
    return found[0]


def _positions(folder: Path, *headers: str) -> dict[str, int]:
    """Return virtual function -> position in the table, in order of declaration, base first.

    A destructor takes two places. What overrides is not declared `virtual` again.
    """
    found: list[str] = []
    for header in headers:
        text = (folder / "include" / header).read_text()
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        for declared in re.findall(r"\bvirtual\b[^(]*?(~?\w+)\s*\(", text):
            found += [declared] * (2 if declared.startswith("~") else 1)
    if len(found) < 10:
        raise ValueError(f"{headers[-1]} declares no interface")
    return {name: position for position, name in enumerate(found) if not name.startswith("~")}


def _address(pointer: int | None) -> int:
    """Return the table of an object at an address, to which its first word points."""
    if not pointer:
        raise UnsupportedError("torch has no guard of its device meta to take functions from")
    return ctypes.c_uint64.from_address(pointer).value


def _table(original: int | None, positions: dict[str, int], functions: dict[str, Any]) -> int:
    """Return the address of a copy of a table in which some functions are others.

    Before a table stand two words about its class, which are copied too.
    """
    assert original is not None
    count = 2 + max(positions.values()) + 3  # the destructor may be last
    copy = (ctypes.c_uint64 * count).from_buffer_copy(
        (ctypes.c_uint64 * count).from_address(original - 16)
    )
    for name, address in functions.items():
        copy[2 + positions[name]] = address
    _kept.append(copy)
    return ctypes.addressof(copy) + 16


def _compiled() -> dict[str, int]:
    """Return the addresses of the functions of `_CODE`, compiled for this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(_CODE)
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _kept.append(engine)
    return {f.name: engine.get_function_address(f.name) for f in module.functions}
