entry @gemm_split_k(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f16>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<128x128xi64>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_10 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_9, %assume_assume_assume], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_12 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
  %assume_assume_15 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
  %tview_17 = make_tensor_view %assume_2, shape = [%assume_12, %assume_assume_assume_14], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %assume_18 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_assume_19 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %cst_4_i32 = constant <i32: 4> : tile<i32>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_128_i32_21 = constant <i32: 128> : tile<i32>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_22, %blockId_y_23, %blockId_z_24 = get_tile_block_id : tile<i32>
  %1 = divi %assume_assume_assume, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
  %2 = divi %1, %cst_4_i32 signed rounding<positive_inf> : tile<i32>
  %blockId_x_25, %blockId_y_26, %blockId_z_27 = get_tile_block_id : tile<i32>
  %3 = muli %blockId_z_27, %2 : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %4 = addi %3, %2 : tile<i32>
  %5 = mini %4, %1 signed : tile<i32>
  %cst_1_i32_28 = constant <i32: 1> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %pview_29 = make_partition_view %tview_17 : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
  %for = for %loopIdx in (%3 to %5, step %cst_1_i32_28) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<128x128xf32>) {
    %tile, %result_token_44 = load_view_tko weak %pview[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
    %tile_45, %result_token_46 = load_view_tko weak %pview_29[%loopIdx, %blockId_y_23] token = %0 : partition_view<tile=(64x128), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x128xf16>, token
    %24 = mmaf %tile, %tile_45, %iterArg0 : tile<128x64xf16>, tile<64x128xf16>, tile<128x128xf32>
    continue %24 : tile<128x128xf32>
  }
  %6 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %7 = iota : tile<128xi32>
  %reshape = reshape %6 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
  %8 = addi %bcast, %7 : tile<128xi32>
  %9 = muli %blockId_y_23, %cst_128_i32_21 : tile<i32>
  %10 = iota : tile<128xi32>
  %reshape_30 = reshape %9 : tile<i32> -> tile<1xi32>
  %bcast_31 = broadcast %reshape_30 : tile<1xi32> -> tile<128xi32>
  %11 = addi %bcast_31, %10 : tile<128xi32>
  %reshape_32 = reshape %8 : tile<128xi32> -> tile<128x1xi32>
  %reshape_33 = reshape %11 : tile<128xi32> -> tile<1x128xi32>
  %12 = exti %reshape_32 signed : tile<128x1xi32> -> tile<128x1xi64>
  %bcast_34 = broadcast %12 : tile<128x1xi64> -> tile<128x128xi64>
  %13 = exti %assume_18 signed : tile<i32> -> tile<i64>
  %reshape_35 = reshape %13 : tile<i64> -> tile<1x1xi64>
  %bcast_36 = broadcast %reshape_35 : tile<1x1xi64> -> tile<128x128xi64>
  %14 = cmpi less_than %bcast_34, %bcast_36, unsigned : tile<128x128xi64> -> tile<128x128xi1>
  %15 = exti %assume_assume_20 signed : tile<i32> -> tile<i64>
  %reshape_37 = reshape %15 : tile<i64> -> tile<1x1xi64>
  %bcast_38 = broadcast %reshape_37 : tile<1x1xi64> -> tile<128x128xi64>
  %16 = muli %bcast_34, %bcast_38 : tile<128x128xi64>
  %17 = exti %reshape_33 signed : tile<1x128xi32> -> tile<1x128xi64>
  %bcast_39 = broadcast %17 : tile<1x128xi64> -> tile<128x128xi64>
  %18 = exti %assume_assume_19 signed : tile<i32> -> tile<i64>
  %reshape_40 = reshape %18 : tile<i64> -> tile<1x1xi64>
  %bcast_41 = broadcast %reshape_40 : tile<1x1xi64> -> tile<128x128xi64>
  %19 = cmpi less_than %bcast_39, %bcast_41, unsigned : tile<128x128xi64> -> tile<128x128xi1>
  %20 = andi %14, %19 : tile<128x128xi1>
  %21 = muli %bcast_39, %cst_1_i64 : tile<128x128xi64>
  %22 = addi %16, %21 : tile<128x128xi64>
  %reshape_42 = reshape %assume_5 : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %bcast_43 = broadcast %reshape_42 : tile<1x1xptr<f32>> -> tile<128x128xptr<f32>>
  %23 = offset %bcast_43, %22 : tile<128x128xptr<f32>>, tile<128x128xi64> -> tile<128x128xptr<f32>>
  %result, %result_token = atomic_rmw_tko relaxed device %23, addf, %for, %20 token=%0 : tile<128x128xptr<f32>>, tile<128x128xf32>, tile<128x128xi1> -> tile<128x128xf32>, token
  return
}
