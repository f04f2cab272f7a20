entry @gemm_int8(%arg0: tile<ptr<i8>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f16>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i8>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i8>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg11 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<ptr<f32>>
  %assume_8 = assume div_by<16>, %arg14 : tile<i32>
  %assume_9 = assume div_by<16>, %arg16 : tile<ptr<f16>>
  %assume_10 = assume div_by<16>, %arg18 : tile<i32>
  %assume_11 = assume div_by<16>, %arg19 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_12 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_17 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_18 = assume div_by<16>, %assume_assume_17 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_16, %assume_assume_assume], strides = [%assume_assume_assume_18, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %assume_19 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %tview_24 = make_tensor_view %assume_2, shape = [%assume_19, %assume_assume_assume_21], strides = [%assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %assume_assume_25 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
  %tview_27 = make_tensor_view %assume_5, shape = [%assume_assume_assume_26], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_assume_28 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %tview_30 = make_tensor_view %assume_7, shape = [%assume_assume_assume_29], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_31 = assume bounded<0, ?>, %arg17 : tile<i32>
  %assume_assume_32 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
  %assume_assume_34 = assume bounded<0, ?>, %assume_11 : tile<i32>
  %assume_assume_assume_35 = assume div_by<16>, %assume_assume_34 : tile<i32>
  %tview_36 = make_tensor_view %assume_9, shape = [%assume_31, %assume_assume_assume_33], strides = [%assume_assume_assume_35, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_37, %blockId_y_38, %blockId_z_39 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<128x128xi32>
  %pview = make_partition_view %tview : partition_view<tile=(128x64), tensor_view<?x?xi8, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(128x64), tensor_view<?x?xi8, strides=[?,1]>> -> tile<i32>
  %cst_0_i32_40 = constant <i32: 0> : tile<i32>
  %cst_1_i32_41 = constant <i32: 1> : tile<i32>
  %pview_42 = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
  %pview_43 = make_partition_view %tview_24 : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>
  %for = for %loopIdx in (%cst_0_i32_40 to %1#1, step %cst_1_i32_41) : tile<i32> iter_values(%iterArg0 = %cst_0_i32) -> (tile<128x128xi32>) {
    %tile_51, %result_token_52 = load_view_tko weak %pview_42[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<128x64xi8>, token
    %tile_53, %result_token_54 = load_view_tko weak %pview_43[%loopIdx, %blockId_y_38] token = %0 : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> tile<64x128xi8>, token
    %7 = mmai %tile_51, %tile_53, %iterArg0 signed signed : tile<128x64xi8>, tile<64x128xi8>, tile<128x128xi32>
    continue %7 : tile<128x128xi32>
  }
  %pview_44 = make_partition_view %tview_27 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview_44[%blockId_x] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %pview_45 = make_partition_view %tview_30 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_46, %result_token_47 = load_view_tko weak %pview_45[%blockId_y_38] token = %0 : partition_view<tile=(128), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
  %2 = itof %for signed  : tile<128x128xi32> -> tile<128x128xf32>
  %reshape = reshape %tile : tile<128xf32> -> tile<128x1xf32>
  %bcast = broadcast %reshape : tile<128x1xf32> -> tile<128x128xf32>
  %3 = mulf %2, %bcast  : tile<128x128xf32>
  %reshape_48 = reshape %tile_46 : tile<128xf32> -> tile<1x128xf32>
  %bcast_49 = broadcast %reshape_48 : tile<1x128xf32> -> tile<128x128xf32>
  %4 = mulf %3, %bcast_49  : tile<128x128xf32>
  %5 = ftof %4  : tile<128x128xf32> -> tile<128x128xf16>
  %pview_50 = make_partition_view %tview_36 : partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>
  %6 = store_view_tko weak %5, %pview_50[%blockId_x, %blockId_y_38] token = %0 : tile<128x128xf16>, partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  return
}
