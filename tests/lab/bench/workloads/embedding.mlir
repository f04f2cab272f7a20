entry @embedding(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i32>>
  %assume_3 = assume div_by<16>, %arg8 : tile<ptr<f16>>
  %assume_4 = assume div_by<16>, %arg10 : tile<i32>
  %assume_5 = assume div_by<16>, %arg11 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_6 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<16x256xi64>
  %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_8 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %tview = make_tensor_view %assume_2, shape = [%assume_9], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
  %assume_10 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_assume_11 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume_11 : tile<i32>
  %assume_assume_12 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_13 = assume div_by<16>, %assume_assume_12 : tile<i32>
  %tview_14 = make_tensor_view %assume_3, shape = [%assume_10, %assume_assume_assume], strides = [%assume_assume_assume_13, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_15, %blockId_y_16, %blockId_z_17 = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(16), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<16xi32>, token
  %1 = muli %blockId_y_16, %cst_256_i32 : tile<i32>
  %2 = iota : tile<256xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<256xi32>
  %3 = addi %bcast, %2 : tile<256xi32>
  %reshape_18 = reshape %tile : tile<16xi32> -> tile<16x1xi32>
  %reshape_19 = reshape %3 : tile<256xi32> -> tile<1x256xi32>
  %4 = exti %reshape_18 signed : tile<16x1xi32> -> tile<16x1xi64>
  %bcast_20 = broadcast %4 : tile<16x1xi64> -> tile<16x256xi64>
  %5 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %reshape_21 = reshape %5 : tile<i64> -> tile<1x1xi64>
  %bcast_22 = broadcast %reshape_21 : tile<1x1xi64> -> tile<16x256xi64>
  %6 = cmpi less_than %bcast_20, %bcast_22, unsigned : tile<16x256xi64> -> tile<16x256xi1>
  %7 = exti %assume_assume_8 signed : tile<i32> -> tile<i64>
  %reshape_23 = reshape %7 : tile<i64> -> tile<1x1xi64>
  %bcast_24 = broadcast %reshape_23 : tile<1x1xi64> -> tile<16x256xi64>
  %8 = muli %bcast_20, %bcast_24 : tile<16x256xi64>
  %9 = exti %reshape_19 signed : tile<1x256xi32> -> tile<1x256xi64>
  %bcast_25 = broadcast %9 : tile<1x256xi64> -> tile<16x256xi64>
  %10 = exti %assume_assume signed : tile<i32> -> tile<i64>
  %reshape_26 = reshape %10 : tile<i64> -> tile<1x1xi64>
  %bcast_27 = broadcast %reshape_26 : tile<1x1xi64> -> tile<16x256xi64>
  %11 = cmpi less_than %bcast_25, %bcast_27, unsigned : tile<16x256xi64> -> tile<16x256xi1>
  %12 = andi %6, %11 : tile<16x256xi1>
  %13 = muli %bcast_25, %cst_1_i64 : tile<16x256xi64>
  %14 = addi %8, %13 : tile<16x256xi64>
  %reshape_28 = reshape %assume : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %bcast_29 = broadcast %reshape_28 : tile<1x1xptr<f16>> -> tile<16x256xptr<f16>>
  %15 = offset %bcast_29, %14 : tile<16x256xptr<f16>>, tile<16x256xi64> -> tile<16x256xptr<f16>>
  %cst_0_f16 = constant <f16: 0.000000e+00> : tile<f16>
  %reshape_30 = reshape %cst_0_f16 : tile<f16> -> tile<1x1xf16>
  %bcast_31 = broadcast %reshape_30 : tile<1x1xf16> -> tile<16x256xf16>
  %result, %result_token_32 = load_ptr_tko weak %15, %12, %bcast_31 token=%0 : tile<16x256xptr<f16>>, tile<16x256xi1>, tile<16x256xf16> -> tile<16x256xf16>, token
  %pview_33 = make_partition_view %tview_14 : partition_view<tile=(16x256), tensor_view<?x?xf16, strides=[?,1]>>
  %16 = store_view_tko weak %result, %pview_33[%blockId_x, %blockId_y_16] token = %0 : tile<16x256xf16>, partition_view<tile=(16x256), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  return
}
