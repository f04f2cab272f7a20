entry @softmax_backward(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<bf16>>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_11 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10, %assume_assume_assume], strides = [%assume_assume_assume_12, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_13 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_14 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
  %assume_assume_16 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
  %tview_18 = make_tensor_view %assume_2, shape = [%assume_13, %assume_assume_assume_15], strides = [%assume_assume_assume_17, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_19 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %tview_24 = make_tensor_view %assume_5, shape = [%assume_19, %assume_assume_assume_21], strides = [%assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x2048xbf16>, token
  %1 = ftof %tile  : tile<1x2048xbf16> -> tile<1x2048xf32>
  %cst_0_i32_25 = constant <i32: 0> : tile<i32>
  %pview_26 = make_partition_view %tview_18 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile_27, %result_token_28 = load_view_tko weak %pview_26[%blockId_x, %cst_0_i32_25] token = %0 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x2048xbf16>, token
  %2 = ftof %tile_27  : tile<1x2048xbf16> -> tile<1x2048xf32>
  %3 = mulf %1, %2  : tile<1x2048xf32>
  %reduce = reduce %3 dim=1 identities=[0.000000e+00 : f32] : tile<1x2048xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %8 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %8 : tile<f32>
  }
  %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %cst_0_i32_29 = constant <i32: 0> : tile<i32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x2048xf32>
  %4 = subf %2, %bcast  : tile<1x2048xf32>
  %5 = mulf %1, %4  : tile<1x2048xf32>
  %6 = ftof %5  : tile<1x2048xf32> -> tile<1x2048xbf16>
  %pview_30 = make_partition_view %tview_24 : partition_view<tile=(1x2048), tensor_view<?x?xbf16, strides=[?,1]>>
  %7 = store_view_tko weak %6, %pview_30[%blockId_x, %cst_0_i32_29] token = %0 : tile<1x2048xbf16>, partition_view<tile=(1x2048), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  return
}
