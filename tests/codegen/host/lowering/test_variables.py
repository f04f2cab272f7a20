"""Variables of a module, which outlive a launch, and of a tile block, which do not."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tileir
from tileir.codegen import compile
from tileir.errors import LaunchError

VALUES = {
    "i1": ("true, false, false, true", [1, 0, 0, 1], np.bool_),
    "i16": ("1, -2, 300, 4", [1, -2, 300, 4], np.int16),
    "i64": ("7", [7, 7, 7, 7], np.int64),
    "bf16": ("1.5, -2.0, 0.0, 3.0", [1.5, -2, 0, 3], ml_dtypes.bfloat16),
    "f64": ("0.1, 0.2, 0.3, 0.4", [0.1, 0.2, 0.3, 0.4], np.float64),
    "tf32": ("1.5, -2.0, 0.0, 3.0", [1.5, -2, 0, 3], np.float32),
    "f8E5M2": ("1.5, -2.0, 0.0, 3.0", [1.5, -2, 0, 3], ml_dtypes.float8_e5m2),
    "f4E2M1FN": ("1.5, -2.0, 0.5, 3.0", [1.5, -2, 0.5, 3], ml_dtypes.float4_e2m1fn),
}


@pytest.mark.parametrize("element", VALUES)
def test_first_values_lie_in_memory_as_a_tensor_does(element: str) -> None:
    text, numbers, dtype = VALUES[element]
    text = text if "," not in text else f"[{text}]"
    view = f"partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>"
    module = tileir.assemble(f"""
global @g alignment = 3 <{element}: {text}> : tile<4x{element}>
entry @k(%o: tile<ptr<{element}>>) {{
  %0 = constant <i32: 0> : tile<i32>
  %g = get_global @g : tile<ptr<{element}>>
  %t = make_tensor_view %g, shape = [4], strides = [1] : tensor_view<4x{element}, strides=[1]>
  %v = make_partition_view %t : {view}
  %u = make_tensor_view %o, shape = [4], strides = [1] : tensor_view<4x{element}, strides=[1]>
  %w = make_partition_view %u : {view}
  %d, %k = load_view_tko weak %v[%0] : {view}, tile<i32> -> tile<4x{element}>, token
  %s = store_view_tko weak %d, %w[%0] : tile<4x{element}>, {view}, tile<i32> -> token
  return
}}
""")
    expected = np.array(numbers).astype(dtype)
    if element == "f4E2M1FN":
        bits = expected.view(np.uint8)
        expected = bits[::2] | bits[1::2] << 4
    found = np.zeros_like(expected)
    compile(module)["k"].launch(1, [found])
    assert (found.view(np.uint8) == expected.view(np.uint8)).all()


TICKET = """
global @count <i32: [40, 2]> : tile<2xi32>
global private constant @step <i32: 3> : tile<1xi32>
entry @take(%o: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %c = get_global @count : tile<ptr<i32>>
  %s = get_global @step : tile<ptr<i32>>
  %n, %t0 = load_ptr_tko weak %s : tile<ptr<i32>> -> tile<i32>, token
  %old, %t = atomic_rmw_tko relaxed device %c, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %p = offset %o, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t1 = store_ptr_tko weak %p, %old : tile<ptr<i32>>, tile<i32> -> token
  return
}
entry @look(%o: tile<ptr<i32>>) {
  %c = get_global @count : tile<ptr<i32>>
  %n, %t0 = load_ptr_tko weak %c : tile<ptr<i32>> -> tile<i32>, token
  %t1 = store_ptr_tko weak %o, %n : tile<ptr<i32>>, tile<i32> -> token
  return
}
"""  # noqa: E501


def test_variables_last_as_long_as_the_compiled_module() -> None:
    module = tileir.assemble(TICKET)
    first, second = compile(module), compile(module)
    taken, seen = np.zeros(100, np.int32), np.zeros(1, np.int32)
    for start in (40, 340, 640):
        first["take"].launch(100, [taken], threads=3)
        assert sorted(taken) == list(range(start, start + 300, 3))
    first["look"].launch(1, [seen])
    assert seen[0] == 940
    second["look"].launch(1, [seen])
    assert seen[0] == 40


SCRATCH = """
entry @k(%in: tile<ptr<i32>>, %o: tile<ptr<i32>>, %a: tile<ptr<i64>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %0 = constant <i32: 0> : tile<i32>
  %1 = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %none = alloca num_elem = 0, alignment = 4 : tile<ptr<i32>>
  %m = alloca num_elem = 64, alignment = 1024 : tile<ptr<i32>>
  %other = alloca num_elem = 64, alignment = 4 global : tile<ptr<i32>>
  %tv = make_tensor_view %in, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %pv = make_partition_view %tv : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>
  %mt = make_tensor_view %m, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %mv = make_partition_view %mt : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
  %qt = make_tensor_view %other, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %qv = make_partition_view %qt : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
  %ot = make_tensor_view %o, shape = [256], strides = [1] : tensor_view<256xi32, strides=[1]>
  %ov = make_partition_view %ot : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>
  %d, %t = load_view_tko weak %pv[%x] : partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %t1 = store_view_tko weak %d, %mv[%0] : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  for %i in (%0 to %three, step %1) : tile<i32> {
    %u, %t2 = load_view_tko weak %mv[%0] : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
    %w = addi %u, %u : tile<64xi32>
    %t3 = store_view_tko weak %w, %mv[%0] : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
    %t4 = store_view_tko weak %u, %qv[%0] : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  }
  %e, %t5 = load_view_tko weak %mv[%0] : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %f, %t6 = load_view_tko weak %qv[%0] : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %g = subi %e, %f : tile<64xi32>
  %t7 = store_view_tko weak %g, %ov[%x] : tile<64xi32>, partition_view<tile=(64), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token
  %n = ptr_to_int %m : tile<ptr<i32>> -> tile<i64>
  %t8 = store_ptr_tko weak %a, %n : tile<ptr<i64>>, tile<i64> -> token
  return
}
"""  # noqa: E501


def test_scratch_memory_belongs_to_one_block() -> None:
    data, found, where = np.arange(256, dtype=np.int32), np.zeros(256, np.int32), np.zeros(1, "i8")
    data.flags.writeable = False
    compile(tileir.assemble(SCRATCH))["k"].launch(4, [data, found, where], threads=2)
    assert (found == 4 * data).all()
    assert where[0] % 1024 == 0


def test_scratch_memory_that_no_machine_has() -> None:
    module = tileir.assemble("""
entry @k() {
  %m = alloca num_elem = 4611686018427387904, alignment = 4 : tile<ptr<i32>>
  %n = alloca num_elem = 1, alignment = 4611686018427387904 : tile<ptr<i32>>
  %o = alloca num_elem = 4611686018427387904, alignment = 8 : tile<ptr<i64>>
  return
}
""")
    with pytest.raises(LaunchError, match="bytes of workspace"):
        compile(module)["k"].launch(1, [])
