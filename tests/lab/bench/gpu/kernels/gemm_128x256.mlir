entry @gemm_128x256(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
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
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_256_i32 = constant <i32: 256> : tile<i32>
  %1 = divi %assume_assume_assume_15, %cst_256_i32 signed rounding<positive_inf> : tile<i32>
  %2 = divi %assume_10, %cst_128_i32 signed rounding<positive_inf> : tile<i32>
  %3 = muli %2, %1 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %4 = cmpi less_than %1, %cst_0_i32, signed : tile<i32> -> tile<i1>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x256xf32>
  %pview = make_partition_view %tview : partition_view<tile=(128x64), tensor_view<?x?xbf16, strides=[?,1]>>
  %5:2 = get_index_space_shape %pview : partition_view<tile=(128x64), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_0_i32_25 = constant <i32: 0> : tile<i32>
  %cst_1_i32_26 = constant <i32: 1> : tile<i32>
  %pview_27 = make_partition_view %tview : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_28 = make_partition_view %tview_18 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %pview_29 = make_partition_view %tview_24 : partition_view<tile=(128x256), tensor_view<?x?xbf16, strides=[?,1]>>
  %for = for %loopIdx in (%blockId_x to %3, step %gridSize_x) : tile<i32> iter_values(%iterArg0 = %0) -> (token) {
    %6 = divi %loopIdx, %1 signed rounding<negative_inf> : tile<i32>
    %7 = remi %loopIdx, %1 signed : tile<i32>
    %8 = cmpi less_than %7, %cst_0_i32, signed : tile<i32> -> tile<i1>
    %9 = xori %8, %4 : tile<i1>
    %10 = cmpi not_equal %7, %cst_0_i32, signed : tile<i32> -> tile<i1>
    %11 = andi %9, %10 : tile<i1>
    %12 = addi %7, %1 : tile<i32>
    %13 = select %11, %12, %7 : tile<i1>, tile<i32>
    %for_30 = for %loopIdx_31 in (%cst_0_i32_25 to %5#1, step %cst_1_i32_26) : tile<i32> iter_values(%iterArg0_32 = %cst_0_f32) -> (tile<128x256xf32>) {
      %tile, %result_token = load_view_tko weak %pview_27[%6, %loopIdx_31] token = %0 : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<128x64xbf16>, token
      %tile_33, %result_token_34 = load_view_tko weak %pview_28[%loopIdx_31, %13] token = %0 : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<64x256xbf16>, token
      %16 = mmaf %tile, %tile_33, %iterArg0_32 : tile<128x64xbf16>, tile<64x256xbf16>, tile<128x256xf32>
      continue %16 : tile<128x256xf32>
    }
    %14 = ftof %for_30  : tile<128x256xf32> -> tile<128x256xbf16>
    %15 = store_view_tko weak %14, %pview_29[%6, %13] token = %iterArg0 : tile<128x256xbf16>, partition_view<tile=(128x256), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
    continue %15 : token
  }
  return
}
