entry @transpose_heads(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<bf16>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg4 : tile<i32>
  %assume_1 = assume div_by<16>, %arg5 : tile<i32>
  %assume_2 = assume div_by<16>, %arg6 : tile<i32>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg9 : tile<ptr<bf16>>
  %assume_5 = assume div_by<16>, %arg13 : tile<i32>
  %assume_6 = assume div_by<16>, %arg14 : tile<i32>
  %assume_7 = assume div_by<16>, %arg15 : tile<i32>
  %assume_8 = assume div_by<16>, %arg16 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_10 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_11 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_12 = assume bounded<0, ?>, %arg3 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
  %assume_assume_15 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
  %assume_assume_17 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_10, %assume_11, %assume_12, %assume_assume_assume], strides = [%assume_assume_assume_14, %assume_assume_assume_16, %assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %assume_19 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_21 = assume bounded<0, ?>, %arg12 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %assume_assume_24 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
  %assume_assume_26 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %tview_30 = make_tensor_view %assume_4, shape = [%assume_19, %assume_20, %assume_21, %assume_assume_assume_23], strides = [%assume_assume_assume_25, %assume_assume_assume_27, %assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %blockId_x_34, %blockId_y_35, %blockId_z_36 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x32x4x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_z, %blockId_x_31, %blockId_y_35, %cst_0_i32] token = %0 : partition_view<tile=(1x32x4x64), padding_value = zero, tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> tile<1x32x4x64xbf16>, token
  %cst_0_i32_37 = constant <i32: 0> : tile<i32>
  %1 = permute %tile [0, 2, 1, 3] : tile<1x32x4x64xbf16> -> tile<1x4x32x64xbf16>
  %pview_38 = make_partition_view %tview_30 : partition_view<tile=(1x4x32x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>
  %2 = store_view_tko weak %1, %pview_38[%blockId_z, %blockId_y_35, %blockId_x_31, %cst_0_i32_37] token = %0 : tile<1x4x32x64xbf16>, partition_view<tile=(1x4x32x64), tensor_view<?x?x?x?xbf16, strides=[?,?,?,1]>>, tile<i32> -> token
  return
}
