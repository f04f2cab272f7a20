"""The CPU of this process: compiles LLVM IR to object code and loads object code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from weakref import ref

import llvmlite.binding as llvm

from tileir.codegen import llvm as backend


@cache
def triple_and_layout() -> tuple[str, str]:
    """Return the target triple and data layout that a module for this CPU states."""
    return _machine().triple, str(_machine().target_data)


@cache
def identity() -> str:
    """Return all properties of LLVM and the CPU that influence the object code of an IR module."""
    cpu, features = _name_and_features()
    return f"{backend.IDENTITY} {_triple()} {cpu} {features}"


def object_code(module: llvm.ModuleRef) -> bytes:
    """Compile an optimised module to a relocatable object file."""
    return _machine().emit_object(module)


def assembly(module: llvm.ModuleRef) -> str:
    """Compile an optimised module to assembly text, for reading."""
    return _machine().emit_assembly(module)


def load(code: bytes) -> llvm.ExecutionEngine:
    """Load object code; its functions can be called as long as the engine lives."""
    global _newest
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _newest = ref(engine)
    return engine


_newest: ref[llvm.ExecutionEngine] | None = None


def load_beside(code: bytes, symbols: Mapping[str, int]) -> llvm.ExecutionEngine:
    """Load object code into the newest engine, if there is one: to make one takes a millisecond.

    `symbols` are addresses that the code knows by name; a name has one address in a process.
    """
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    engine = _newest() if _newest is not None else None
    if engine is None:
        return load(code)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def optimised(llvm_ir: str) -> llvm.ModuleRef:
    """Parse a module and run LLVM's optimiser on it."""
    parsed = backend.parse(llvm_ir)
    # Only loops are vectorised. Interleaving costs a tenth more compile time, unrolling doubles it,
    # and no kernel gets faster: the CPU overlaps iterations by itself.
    # What the second level adds, which is for pointers and branches, they do not need either.
    backend.optimize(parsed, _machine(), speed_level=1, vectorize=True, unroll=False)
    return parsed


@cache
def _machine() -> llvm.TargetMachine:
    return _new_machine()


def _new_machine() -> llvm.TargetMachine:
    """Make a new target machine, because an engine takes ownership of its own."""
    backend.start("native")
    return backend.target_machine(_triple(), *_name_and_features(), jit=True)


@cache
def _name_and_features() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _triple() -> str:
    return llvm.get_process_triple()
