entry @rope(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f32>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<ptr<f32>>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<ptr<f16>>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<i32>
  %assume_1 = assume div_by<16>, %arg4 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<i32>
  %assume_3 = assume div_by<16>, %arg7 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg9 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<i32>
  %assume_6 = assume div_by<16>, %arg12 : tile<ptr<f32>>
  %assume_7 = assume div_by<16>, %arg14 : tile<i32>
  %assume_8 = assume div_by<16>, %arg15 : tile<i32>
  %assume_9 = assume div_by<16>, %arg17 : tile<ptr<f16>>
  %assume_10 = assume div_by<16>, %arg20 : tile<i32>
  %assume_11 = assume div_by<16>, %arg21 : tile<i32>
  %assume_12 = assume div_by<16>, %arg22 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_18 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_16, %assume_17, %assume_assume_assume], strides = [%assume_assume_assume_19, %assume_assume_assume_21, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_22 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_assume_23 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_24 = assume div_by<16>, %assume_assume_23 : tile<i32>
  %assume_assume_25 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
  %tview_27 = make_tensor_view %assume_3, shape = [%assume_22, %assume_assume_assume_24], strides = [%assume_assume_assume_26, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_28 = assume bounded<0, ?>, %arg13 : tile<i32>
  %assume_assume_29 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
  %assume_assume_31 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_32 = assume div_by<16>, %assume_assume_31 : tile<i32>
  %tview_33 = make_tensor_view %assume_6, shape = [%assume_28, %assume_assume_assume_30], strides = [%assume_assume_assume_32, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_34 = assume bounded<0, ?>, %arg18 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_assume_36 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
  %assume_assume_38 = assume bounded<0, ?>, %assume_11 : tile<i32>
  %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
  %assume_assume_40 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
  %tview_42 = make_tensor_view %assume_9, shape = [%assume_34, %assume_35, %assume_assume_assume_37], strides = [%assume_assume_assume_39, %assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_43, %blockId_y_44, %blockId_z_45 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %blockId_y_44, %cst_0_i32] token = %0 : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x16x64xf16>, token
  %1 = ftof %tile  : tile<1x16x64xf16> -> tile<1x16x64xf32>
  %cst_1_i32_46 = constant <i32: 1> : tile<i32>
  %pview_47 = make_partition_view %tview : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile_48, %result_token_49 = load_view_tko weak %pview_47[%blockId_x, %blockId_y_44, %cst_1_i32_46] token = %0 : partition_view<tile=(1x16x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x16x64xf16>, token
  %2 = ftof %tile_48  : tile<1x16x64xf16> -> tile<1x16x64xf32>
  %cst_0_i32_50 = constant <i32: 0> : tile<i32>
  %pview_51 = make_partition_view %tview_27 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_52, %result_token_53 = load_view_tko weak %pview_51[%blockId_x, %cst_0_i32_50] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
  %reshape = reshape %tile_52 : tile<1x64xf32> -> tile<1x1x64xf32>
  %cst_0_i32_54 = constant <i32: 0> : tile<i32>
  %pview_55 = make_partition_view %tview_33 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>
  %tile_56, %result_token_57 = load_view_tko weak %pview_55[%blockId_x, %cst_0_i32_54] token = %0 : partition_view<tile=(1x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
  %reshape_58 = reshape %tile_56 : tile<1x64xf32> -> tile<1x1x64xf32>
  %cst_0_i32_59 = constant <i32: 0> : tile<i32>
  %bcast = broadcast %reshape : tile<1x1x64xf32> -> tile<1x16x64xf32>
  %bcast_60 = broadcast %reshape_58 : tile<1x1x64xf32> -> tile<1x16x64xf32>
  %3 = mulf %2, %bcast_60  : tile<1x16x64xf32>
  %4 = negf %3 : tile<1x16x64xf32>
  %5 = fma %1, %bcast, %4  : tile<1x16x64xf32>
  %6 = ftof %5  : tile<1x16x64xf32> -> tile<1x16x64xf16>
  %pview_61 = make_partition_view %tview_42 : partition_view<tile=(1x16x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %7 = store_view_tko weak %6, %pview_61[%blockId_x, %blockId_y_44, %cst_0_i32_59] token = %0 : tile<1x16x64xf16>, partition_view<tile=(1x16x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  %cst_1_i32_62 = constant <i32: 1> : tile<i32>
  %bcast_63 = broadcast %reshape : tile<1x1x64xf32> -> tile<1x16x64xf32>
  %bcast_64 = broadcast %reshape_58 : tile<1x1x64xf32> -> tile<1x16x64xf32>
  %8 = mulf %1, %bcast_64  : tile<1x16x64xf32>
  %9 = fma %2, %bcast_63, %8  : tile<1x16x64xf32>
  %10 = ftof %9  : tile<1x16x64xf32> -> tile<1x16x64xf16>
  %pview_65 = make_partition_view %tview_42 : partition_view<tile=(1x16x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %11 = store_view_tko weak %10, %pview_65[%blockId_x, %blockId_y_44, %cst_1_i32_62] token = %7 : tile<1x16x64xf16>, partition_view<tile=(1x16x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
