entry @adamw(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<bf16>>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<ptr<f32>>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<ptr<f32>>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<f32>, %arg13: tile<f32>, %arg14: tile<f32>, %arg15: tile<f32>, %arg16: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg1 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<ptr<bf16>>
  %assume_2 = assume div_by<16>, %arg4 : tile<i32>
  %assume_3 = assume div_by<16>, %arg6 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg7 : tile<i32>
  %assume_5 = assume div_by<16>, %arg9 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg10 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %cst_1_i32_9 = constant <i32: 1> : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_assume_assume], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_assume_10 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
  %tview_12 = make_tensor_view %assume_1, shape = [%assume_assume_assume_11], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_assume_13 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
  %tview_15 = make_tensor_view %assume_3, shape = [%assume_assume_assume_14], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_assume_16 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
  %tview_18 = make_tensor_view %assume_5, shape = [%assume_assume_assume_17], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %pview = make_partition_view %tview_12 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<1024xbf16>, token
  %1 = ftof %tile  : tile<1024xbf16> -> tile<1024xf32>
  %pview_19 = make_partition_view %tview_15 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_20, %result_token_21 = load_view_tko weak %pview_19[%blockId_x] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %2 = join_tokens %0, %result_token_21 : token
  %pview_22 = make_partition_view %tview_18 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_23, %result_token_24 = load_view_tko weak %pview_22[%blockId_x] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %3 = join_tokens %0, %result_token_24 : token
  %pview_25 = make_partition_view %tview : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_26, %result_token_27 = load_view_tko weak %pview_25[%blockId_x] token = %0 : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %4 = join_tokens %0, %result_token_27 : token
  %reshape = reshape %arg13 : tile<f32> -> tile<1xf32>
  %bcast = broadcast %reshape : tile<1xf32> -> tile<1024xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<f32>
  %5 = subf %cst_1_f32, %arg13  : tile<f32>
  %reshape_28 = reshape %5 : tile<f32> -> tile<1xf32>
  %bcast_29 = broadcast %reshape_28 : tile<1xf32> -> tile<1024xf32>
  %6 = mulf %bcast_29, %1  : tile<1024xf32>
  %7 = fma %bcast, %tile_20, %6  : tile<1024xf32>
  %reshape_30 = reshape %arg14 : tile<f32> -> tile<1xf32>
  %bcast_31 = broadcast %reshape_30 : tile<1xf32> -> tile<1024xf32>
  %cst_1_f32_32 = constant <f32: 1.000000e+00> : tile<f32>
  %8 = subf %cst_1_f32_32, %arg14  : tile<f32>
  %reshape_33 = reshape %8 : tile<f32> -> tile<1xf32>
  %bcast_34 = broadcast %reshape_33 : tile<1xf32> -> tile<1024xf32>
  %9 = mulf %bcast_34, %1  : tile<1024xf32>
  %10 = mulf %9, %1  : tile<1024xf32>
  %11 = fma %bcast_31, %tile_23, %10  : tile<1024xf32>
  %12 = sqrt %11  : tile<1024xf32>
  %reshape_35 = reshape %arg15 : tile<f32> -> tile<1xf32>
  %bcast_36 = broadcast %reshape_35 : tile<1xf32> -> tile<1024xf32>
  %13 = addf %12, %bcast_36  : tile<1024xf32>
  %14 = divf %7, %13  : tile<1024xf32>
  %reshape_37 = reshape %arg16 : tile<f32> -> tile<1xf32>
  %bcast_38 = broadcast %reshape_37 : tile<1xf32> -> tile<1024xf32>
  %15 = fma %bcast_38, %tile_26, %14  : tile<1024xf32>
  %reshape_39 = reshape %arg12 : tile<f32> -> tile<1xf32>
  %bcast_40 = broadcast %reshape_39 : tile<1xf32> -> tile<1024xf32>
  %16 = negf %bcast_40 : tile<1024xf32>
  %17 = fma %16, %15, %tile_26  : tile<1024xf32>
  %pview_41 = make_partition_view %tview_15 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %18 = store_view_tko weak %7, %pview_41[%blockId_x] token = %2 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_42 = make_partition_view %tview_18 : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %19 = store_view_tko weak %11, %pview_42[%blockId_x] token = %3 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  %pview_43 = make_partition_view %tview : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %20 = store_view_tko weak %17, %pview_43[%blockId_x] token = %4 : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
