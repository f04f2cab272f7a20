"""A cuTile kernel to bytecode and on to PTX, without a GPU: python to_ptx.py"""

import io

import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint,
    CallingConvention,
    ConstantConstraint,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

import tileir


@ct.kernel
def saxpy(x, y, a, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), a * ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))


vector = ArrayConstraint(
    ct.float32, 1, index_dtype=ct.int32, base_addr_divisible_by=16, stride_constant=[1],
    stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False,
)  # fmt: skip
arguments = [vector, vector, ScalarConstraint(ct.float32), ConstantConstraint(256)]
signature = KernelSignature(arguments, CallingConvention.cutile_python_v2(), "saxpy")
file = io.BytesIO()
export_kernel(saxpy, [signature], file, output_format="tileir_bytecode", bytecode_version="13.3")
compiled = tileir.compile(file.getvalue(), "sm_90")
print(compiled.ptx)
