"""Start LLVM, parse its IR, and optimise modules: all code generators do it here."""

from __future__ import annotations

from itertools import islice

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir
from llvmlite.binding import ffi

from tileir.formats.forks import Lock, not_forking

VERSION = ".".join(map(str, llvm.llvm_version_info))
"""The version of LLVM inside llvmlite."""

IDENTITY = f"llvmlite {llvmlite.__version__} LLVM {VERSION}"
"""What writes LLVM IR, and what compiles it."""

MOST_UNROLLED = 2_000
"""Blocks of a function in which loops are unrolled."""

_lock = Lock()
_started: set[str] = set()

not_forking.held.append(ffi.lib._lock)  # a child must not find another thread inside of LLVM

# llvmlite fills its table of escaped characters when it writes the first name, without a lock: a
# second thread would see half a table. So that is done here, while the import lock is held.
str(ir.Constant(ir.ArrayType(ir.IntType(8), 1), bytearray(1)))


def start(family: str) -> None:
    """Initialise LLVM's back ends: "native", or "all" that this LLVM has."""
    with _lock:
        if family in _started:
            return
        if family == "native":
            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
        else:
            llvm.initialize_all_targets()
            llvm.initialize_all_asmprinters()
        _started.add(family)


def target_machine(
    triple: str, cpu: str, features: str = "", *, speed_level: int = 2, jit: bool = False
) -> llvm.TargetMachine:
    """Return a code generator; its back end must have been started."""
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=speed_level, jit=jit)


def parse(module: ir.Module | str) -> llvm.ModuleRef:
    """Parse LLVM IR and verify it.

    It is parsed in LLVM's global context: llvmlite lets one thread at a time into LLVM, and another
    context could be garbage-collected before the modules in it.
    """
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    return parsed


def simplify(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Run the few passes that IR needs which was folded while it was emitted, in place.

    Variables become registers, sums are put in an order in which more is alike, what has become
    known is combined, and loops are unrolled that are short or marked. LLVM's own pipeline
    combines eight times, which takes most of its time.

    In functions of more than `MOST_UNROLLED` blocks no loop is unrolled: what LLVM does from then
    on takes time that grows with the square of the blocks, in its code generator, too.
    """
    for function in module.functions:
        if not function.is_declaration:
            _simplify(function, machine, _is_small(function))


def _is_small(function: llvm.ValueRef) -> bool:
    return next(islice(function.blocks, MOST_UNROLLED, None), None) is None


def _simplify(function: llvm.ValueRef, machine: llvm.TargetMachine, unrolled: bool) -> None:
    with llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()) as builder:
        manager = llvm.create_new_function_pass_manager()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()
        manager.add_reassociate_pass()
        manager.add_instruction_combine_pass()
        manager.add_sccp_pass()
        if unrolled:
            manager.add_loop_unroll_pass()
        manager.add_instruction_combine_pass()
        manager.add_simplify_cfg_pass()
        manager.run(function, builder)
        manager.close()


def optimize(
    module: llvm.ModuleRef,
    machine: llvm.TargetMachine,
    *,
    speed_level: int = 2,
    vectorize: bool = False,
    unroll: bool = True,
) -> None:
    """Run LLVM's pass pipeline over the module, in place."""
    options = llvm.create_pipeline_tuning_options(speed_level=speed_level)
    options.loop_vectorization = vectorize
    options.loop_interleaving = False
    options.slp_vectorization = False
    options.loop_unrolling = unroll
    with llvm.create_pass_builder(machine, options) as builder:
        manager = builder.getModulePassManager()
        manager.run(module, builder)
        manager.close()
