entry @gemm_grouped(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<i32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<bf16>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg8 : tile<i32>
  %assume_4 = assume div_by<16>, %arg9 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<i32>
  %assume_6 = assume div_by<16>, %arg12 : tile<ptr<i32>>
  %assume_7 = assume div_by<16>, %arg15 : tile<ptr<bf16>>
  %assume_8 = assume div_by<16>, %arg17 : tile<i32>
  %assume_9 = assume div_by<16>, %arg18 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_10 = constant <i32: 1> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %assume_12 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_12, %assume_assume_assume], strides = [%assume_assume_assume_14, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_15 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg7 : tile<i32>
  %assume_assume_17 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
  %assume_assume_19 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
  %assume_assume_21 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_22 = assume div_by<16>, %assume_assume_21 : tile<i32>
  %tview_23 = make_tensor_view %assume_2, shape = [%assume_15, %assume_16, %assume_assume_assume_18], strides = [%assume_assume_assume_20, %assume_assume_assume_22, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_24 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_assume_26 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %tview_30 = make_tensor_view %assume_7, shape = [%assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %2 = exti %assume_24 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %1, %cst_1_i64 : tile<i64>
  %5 = offset %assume_6, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_34 = assume div_by<4>, %5 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_34, %3, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x128xf32>
  %pview = make_partition_view %tview : partition_view<tile=(64x64), tensor_view<?x?xbf16, strides=[?,1]>>
  %6:2 = get_index_space_shape %pview : partition_view<tile=(64x64), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_0_i32_35 = constant <i32: 0> : tile<i32>
  %cst_1_i32_36 = constant <i32: 1> : tile<i32>
  %pview_37 = make_partition_view %tview : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_38 = make_partition_view %tview_23 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %for = for %loopIdx in (%cst_0_i32_35 to %6#1, step %cst_1_i32_36) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<64x128xf32>) {
    %tile, %result_token_40 = load_view_tko weak %pview_37[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(64x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<64x64xbf16>, token
    %tile_41, %result_token_42 = load_view_tko weak %pview_38[%result, %loopIdx, %blockId_y_32] token = %0 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xbf16>, token
    %reshape = reshape %tile_41 : tile<1x64x128xbf16> -> tile<64x128xbf16>
    %9 = mmaf %tile, %reshape, %iterArg0 : tile<64x64xbf16>, tile<64x128xbf16>, tile<64x128xf32>
    continue %9 : tile<64x128xf32>
  }
  %7 = ftof %for  : tile<64x128xf32> -> tile<64x128xbf16>
  %pview_39 = make_partition_view %tview_30 : partition_view<tile=(64x128), tensor_view<?x?xbf16, strides=[?,1]>>
  %8 = store_view_tko weak %7, %pview_39[%blockId_x, %blockId_y_32] token = %0 : tile<64x128xbf16>, partition_view<tile=(64x128), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  return
}
