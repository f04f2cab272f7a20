entry @moe_gather(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<bf16>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<i32>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<bf16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i32>>
  %assume_3 = assume div_by<16>, %arg8 : tile<ptr<bf16>>
  %assume_4 = assume div_by<16>, %arg11 : tile<i32>
  %assume_5 = assume div_by<16>, %arg12 : tile<i32>
  %assume_6 = assume div_by<16>, %arg13 : tile<i32>
  %assume_7 = assume div_by<16>, %arg15 : tile<ptr<i32>>
  %assume_8 = assume div_by<16>, %arg18 : tile<ptr<bf16>>
  %assume_9 = assume div_by<16>, %arg20 : tile<i32>
  %assume_10 = assume div_by<16>, %arg21 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_12 = constant <i64: 1> : tile<128xi64>
  %cst_-1_i32 = constant <i32: -1> : tile<128xi32>
  %cst_1_i64_13 = constant <i64: 1> : tile<128x64xi64>
  %assume_14 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_15 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_16 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg10 : tile<i32>
  %assume_assume_19 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume_19 : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %tview = make_tensor_view %assume_3, shape = [%assume_17, %assume_18, %assume_assume_assume], strides = [%assume_assume_assume_21, %assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_24 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_assume_26 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %tview_30 = make_tensor_view %assume_8, shape = [%assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_31, %blockId_y_32, %blockId_z_33 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %1 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %2 = exti %assume_24 signed : tile<i32> -> tile<i64>
  %3 = cmpi less_than %1, %2, unsigned : tile<i64> -> tile<i1>
  %4 = muli %1, %cst_1_i64 : tile<i64>
  %5 = offset %assume_7, %4 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_34 = assume div_by<4>, %5 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_34, %3, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %6 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %7 = iota : tile<128xi32>
  %reshape = reshape %6 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<128xi32>
  %8 = addi %bcast, %7 : tile<128xi32>
  %9 = exti %8 signed : tile<128xi32> -> tile<128xi64>
  %10 = exti %assume_16 signed : tile<i32> -> tile<i64>
  %reshape_35 = reshape %10 : tile<i64> -> tile<1xi64>
  %bcast_36 = broadcast %reshape_35 : tile<1xi64> -> tile<128xi64>
  %11 = cmpi less_than %9, %bcast_36, unsigned : tile<128xi64> -> tile<128xi1>
  %12 = muli %9, %cst_1_i64_12 : tile<128xi64>
  %reshape_37 = reshape %assume_2 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_38 = broadcast %reshape_37 : tile<1xptr<i32>> -> tile<128xptr<i32>>
  %13 = offset %bcast_38, %12 : tile<128xptr<i32>>, tile<128xi64> -> tile<128xptr<i32>>
  %result_39, %result_token_40 = load_ptr_tko weak %13, %11, %cst_-1_i32 token=%0 : tile<128xptr<i32>>, tile<128xi1>, tile<128xi32> -> tile<128xi32>, token
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %14 = divi %assume_assume, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
  %cst_0_i32_41 = constant <i32: 0> : tile<i32>
  %cst_1_i32_42 = constant <i32: 1> : tile<i32>
  %15 = iota : tile<64xi32>
  %reshape_43 = reshape %result_39 : tile<128xi32> -> tile<128x1xi32>
  %16 = exti %reshape_43 signed : tile<128x1xi32> -> tile<128x1xi64>
  %bcast_44 = broadcast %16 : tile<128x1xi64> -> tile<128x64xi64>
  %17 = exti %assume_14 signed : tile<i32> -> tile<i64>
  %reshape_45 = reshape %17 : tile<i64> -> tile<1x1xi64>
  %bcast_46 = broadcast %reshape_45 : tile<1x1xi64> -> tile<128x64xi64>
  %18 = cmpi less_than %bcast_44, %bcast_46, unsigned : tile<128x64xi64> -> tile<128x64xi1>
  %19 = exti %assume_assume_15 signed : tile<i32> -> tile<i64>
  %reshape_47 = reshape %19 : tile<i64> -> tile<1x1xi64>
  %bcast_48 = broadcast %reshape_47 : tile<1x1xi64> -> tile<128x64xi64>
  %20 = muli %bcast_44, %bcast_48 : tile<128x64xi64>
  %21 = exti %assume_assume signed : tile<i32> -> tile<i64>
  %reshape_49 = reshape %21 : tile<i64> -> tile<1x1xi64>
  %bcast_50 = broadcast %reshape_49 : tile<1x1xi64> -> tile<128x64xi64>
  %reshape_51 = reshape %assume : tile<ptr<bf16>> -> tile<1x1xptr<bf16>>
  %bcast_52 = broadcast %reshape_51 : tile<1x1xptr<bf16>> -> tile<128x64xptr<bf16>>
  %cst_0_bf16 = constant <bf16: 0.000000e+00> : tile<bf16>
  %reshape_53 = reshape %cst_0_bf16 : tile<bf16> -> tile<1x1xbf16>
  %bcast_54 = broadcast %reshape_53 : tile<1x1xbf16> -> tile<128x64xbf16>
  %pview = make_partition_view %tview : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %for = for %loopIdx in (%cst_0_i32_41 to %14, step %cst_1_i32_42) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<128x128xf32>) {
    %24 = muli %loopIdx, %cst_64_i32 : tile<i32>
    %reshape_56 = reshape %24 : tile<i32> -> tile<1xi32>
    %bcast_57 = broadcast %reshape_56 : tile<1xi32> -> tile<64xi32>
    %25 = addi %bcast_57, %15 : tile<64xi32>
    %reshape_58 = reshape %25 : tile<64xi32> -> tile<1x64xi32>
    %26 = exti %reshape_58 signed : tile<1x64xi32> -> tile<1x64xi64>
    %bcast_59 = broadcast %26 : tile<1x64xi64> -> tile<128x64xi64>
    %27 = cmpi less_than %bcast_59, %bcast_50, unsigned : tile<128x64xi64> -> tile<128x64xi1>
    %28 = andi %18, %27 : tile<128x64xi1>
    %29 = muli %bcast_59, %cst_1_i64_13 : tile<128x64xi64>
    %30 = addi %20, %29 : tile<128x64xi64>
    %31 = offset %bcast_52, %30 : tile<128x64xptr<bf16>>, tile<128x64xi64> -> tile<128x64xptr<bf16>>
    %result_60, %result_token_61 = load_ptr_tko weak %31, %28, %bcast_54 token=%0 : tile<128x64xptr<bf16>>, tile<128x64xi1>, tile<128x64xbf16> -> tile<128x64xbf16>, token
    %tile, %result_token_62 = load_view_tko weak %pview[%result, %loopIdx, %blockId_y_32] token = %0 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xbf16>, token
    %reshape_63 = reshape %tile : tile<1x64x128xbf16> -> tile<64x128xbf16>
    %32 = mmaf %result_60, %reshape_63, %iterArg0 : tile<128x64xbf16>, tile<64x128xbf16>, tile<128x128xf32>
    continue %32 : tile<128x128xf32>
  }
  %22 = ftof %for  : tile<128x128xf32> -> tile<128x128xbf16>
  %pview_55 = make_partition_view %tview_30 : partition_view<tile=(128x128), tensor_view<?x?xbf16, strides=[?,1]>>
  %23 = store_view_tko weak %22, %pview_55[%blockId_x, %blockId_y_32] token = %0 : tile<128x128xbf16>, partition_view<tile=(128x128), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  return
}
