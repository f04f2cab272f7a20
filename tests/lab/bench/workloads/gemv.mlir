entry @gemv(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg6 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
  %assume_5 = assume div_by<16>, %arg9 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %assume_8 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_9 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_10 = assume div_by<16>, %assume_assume_9 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_8, %assume_assume_assume], strides = [%assume_assume_assume_10, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_assume_11 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
  %tview_13 = make_tensor_view %assume_2, shape = [%assume_assume_assume_12], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_assume_14 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
  %tview_16 = make_tensor_view %assume_4, shape = [%assume_assume_assume_15], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x512xf32>
  %pview = make_partition_view %tview : partition_view<tile=(16x512), tensor_view<?x?xbf16, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(16x512), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %pview_18 = make_partition_view %tview : partition_view<tile=(16x512), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_19 = make_partition_view %tview_13 : partition_view<tile=(512), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
  %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_17) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<16x512xf32>) {
    %tile, %result_token = load_view_tko weak %pview_18[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(16x512), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<16x512xbf16>, token
    %tile_21, %result_token_22 = load_view_tko weak %pview_19[%loopIdx] token = %0 : partition_view<tile=(512), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<512xbf16>, token
    %4 = ftof %tile  : tile<16x512xbf16> -> tile<16x512xf32>
    %5 = ftof %tile_21  : tile<512xbf16> -> tile<512xf32>
    %reshape = reshape %5 : tile<512xf32> -> tile<1x512xf32>
    %bcast = broadcast %reshape : tile<1x512xf32> -> tile<16x512xf32>
    %6 = fma %4, %bcast, %iterArg0  : tile<16x512xf32>
    continue %6 : tile<16x512xf32>
  }
  %reduce = reduce %for dim=1 identities=[0.000000e+00 : f32] : tile<16x512xf32> -> tile<16xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %4 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %4 : tile<f32>
  }
  %2 = ftof %reduce  : tile<16xf32> -> tile<16xbf16>
  %pview_20 = make_partition_view %tview_16 : partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>
  %3 = store_view_tko weak %2, %pview_20[%blockId_x] token = %0 : tile<16xbf16>, partition_view<tile=(16), tensor_view<?xbf16, strides=[1]>>, tile<i32> -> token
  return
}
