"""The samples: their names, and what each is. hatch_build.py reads this file, too."""

from __future__ import annotations

SAMPLES = {
    "13.1/integer_flags.tileirbc": "arithmetic of i16 and i32, before negi had overflow flags",
    "13.1/matmul.tileirbc": "matrix product of f16, strides of which little is known",
    "13.4/atomic_sum_f32.tileirbc": "sums of f32 in memory, by atomic additions",
    "13.4/fma_scalar.tileirbc": "multiply and add, with a scalar argument",
    "13.4/gather_rows.tileirbc": "rows of a matrix, gathered by an array of indices",
    "13.4/helper_calls.tileirbc": "functions that were inlined, as debug records tell",
    "13.4/hinted_by_target.tileirbc": "an array times 0.5, with hints for several GPUs",
    "13.4/integer_flags.tileirbc": "arithmetic of i16 and i32, with overflow flags",
    "13.4/loop_sum.tileirbc": "a sum in a loop",
    "13.4/matmul.tileirbc": "matrix product of f16",
    "13.4/scaled_copy.tileirbc": "a matrix times 1.5",
    "13.4/softmax.tileirbc": "softmax of each row",
    "13.4/transpose.tileirbc": "a matrix transposed",
    "13.4/vector_add.tileirbc": "sum of two vectors",
    "13.5/module_globals.tileirbc": "global variables, of which some are private or constant",
    "13.5/multimem.tileirbc": "multicast memory",
    "13.5/vector_add.tileirbc": "sum of two vectors",
    "invalid/rules/same-type.tileirbc": "an addition of f32 and f16, which breaks a rule",
    "invalid/type_index_out_of_range.tileirbc": "an op with a type that is not there",
    "noop.mlir": "a text that names its GPU",
    "saxpy.py": "a program of cuTile on NumPy arrays",
    "to_ptx.py": "a kernel of cuTile to bytecode and PTX",
    "transpose.py": "a program of cuTile on torch's tensors",
}
"""Name of a sample -> what it is."""


def in_checkout(name: str) -> str:
    """Return where a checkout has a sample, relative to its root."""
    return f"fixtures/{name}" if "/" in name else f"examples/{name}"
