entry @log_softmax(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %assume_6 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_7 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_8 = assume div_by<16>, %assume_assume_7 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_6, %assume_assume_assume], strides = [%assume_assume_assume_8, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_9 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_10 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
  %assume_assume_12 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_13 = assume div_by<16>, %assume_assume_12 : tile<i32>
  %tview_14 = make_tensor_view %assume_2, shape = [%assume_9, %assume_assume_assume_11], strides = [%assume_assume_assume_13, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<1x2048xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1x2048xf32>
  %pview = make_partition_view %tview : partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %pview_16 = make_partition_view %tview : partition_view<tile=(1x2048), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %cst_f32_17 = constant <f32: 0xFF800000> : tile<f32>
  %reshape = reshape %cst_f32_17 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x2048xf32>
  %cst_0_f32_18 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_19 = reshape %cst_0_f32_18 : tile<f32> -> tile<1x1xf32>
  %bcast_20 = broadcast %reshape_19 : tile<1x1xf32> -> tile<1x2048xf32>
  %for:2 = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_15) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %cst_0_f32) -> (tile<1x2048xf32>, tile<1x2048xf32>) {
    %tile, %result_token = load_view_tko weak %pview_16[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x2048), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x2048xf32>, token
    %8 = maxf %iterArg0, %tile : tile<1x2048xf32>
    %9 = cmpf greater_than ordered %8, %bcast : tile<1x2048xf32> -> tile<1x2048xi1>
    %10 = select %9, %8, %bcast_20 : tile<1x2048xi1>, tile<1x2048xf32>
    %11 = subf %iterArg0, %10  : tile<1x2048xf32>
    %12 = exp %11  : tile<1x2048xf32>
    %13 = subf %tile, %10  : tile<1x2048xf32>
    %14 = exp %13  : tile<1x2048xf32>
    %15 = fma %iterArg1, %12, %14  : tile<1x2048xf32>
    continue %8, %15 : tile<1x2048xf32>, tile<1x2048xf32>
  }
  %reduce = reduce %for#0 dim=1 identities=[0xFF800000 : f32] : tile<1x2048xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %8 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %8 : tile<f32>
  }
  %reshape_21 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %bcast_22 = broadcast %reshape_21 : tile<1x1xf32> -> tile<1x2048xf32>
  %2 = subf %for#0, %bcast_22  : tile<1x2048xf32>
  %3 = exp %2  : tile<1x2048xf32>
  %4 = mulf %for#1, %3  : tile<1x2048xf32>
  %reduce_23 = reduce %4 dim=1 identities=[0.000000e+00 : f32] : tile<1x2048xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %8 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %8 : tile<f32>
  }
  %reshape_24 = reshape %reduce_23 : tile<1xf32> -> tile<1x1xf32>
  %5 = log %reshape_24 : tile<1x1xf32>
  %6 = addf %5, %reshape_21  : tile<1x1xf32>
  %pview_25 = make_partition_view %tview : partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>>
  %7:2 = get_index_space_shape %pview_25 : partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>> -> tile<i32>
  %cst_0_i32_26 = constant <i32: 0> : tile<i32>
  %cst_1_i32_27 = constant <i32: 1> : tile<i32>
  %pview_28 = make_partition_view %tview : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %bcast_29 = broadcast %6 : tile<1x1xf32> -> tile<1x2048xf32>
  %pview_30 = make_partition_view %tview_14 : partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>>
  for %loopIdx in (%cst_0_i32_26 to %7#1, step %cst_1_i32_27) : tile<i32> {
    %tile, %result_token = load_view_tko weak %pview_28[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x2048xf32>, token
    %8 = subf %tile, %bcast_29  : tile<1x2048xf32>
    %9 = store_view_tko weak %8, %pview_30[%blockId_x, %loopIdx] token = %0 : tile<1x2048xf32>, partition_view<tile=(1x2048), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  }
  return
}
