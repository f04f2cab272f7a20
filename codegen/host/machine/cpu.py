"""This process's CPU as LLVM sees it: IR becomes object code, object code becomes callable."""

from __future__ import annotations

from functools import cache

import llvmlite
import llvmlite.binding as llvm

from tileir.codegen import llvm as backend


@cache
def triple_and_layout() -> tuple[str, str]:
    """What a module has to say about the machine it is for."""
    return _machine().triple, str(_machine().target_data)


@cache
def identity() -> str:
    """Everything about LLVM and the CPU that decides what object code IR becomes."""
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return f"llvmlite {llvmlite.__version__} LLVM {backend.VERSION} {_triple()} {cpu} {features}"


def object_code(module: llvm.ModuleRef) -> bytes:
    """The relocatable object file of an optimised module."""
    return _machine().emit_object(module)


def assembly(module: llvm.ModuleRef) -> str:
    """The same as text, for reading."""
    return _machine().emit_assembly(module)


def load(code: bytes) -> llvm.ExecutionEngine:
    """Object code, ready to be called as long as the engine lives."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def optimised(llvm_ir: str) -> llvm.ModuleRef:
    """A module after LLVM's optimiser."""
    parsed = backend.parse(llvm_ir)
    # Vector loops are enough. Interleaving them takes a tenth more time, unrolling them doubles it,
    # and no kernel gains: the processor overlaps iterations by itself.
    backend.optimize(parsed, _machine(), speed_level=2, vectorize=True, unroll=False)
    return parsed


@cache
def _machine() -> llvm.TargetMachine:
    return _new_machine()


def _new_machine() -> llvm.TargetMachine:
    """A new one, because an engine takes possession of its machine."""
    backend.start("native")
    return backend.target_machine(
        _triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        jit=True,
    )


def _triple() -> str:
    return llvm.get_process_triple()
