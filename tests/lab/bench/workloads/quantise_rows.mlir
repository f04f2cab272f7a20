entry @quantise_rows(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i8>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f32>>, %arg11: tile<i32>, %arg12: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i8>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg11 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_7 = constant <i32: 1> : tile<i32>
  %cst_1_i32_8 = constant <i32: 1> : tile<i32>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_10 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_9, %assume_assume_assume], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_12 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_14 = assume div_by<16>, %assume_assume_13 : tile<i32>
  %assume_assume_15 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_16 = assume div_by<16>, %assume_assume_15 : tile<i32>
  %tview_17 = make_tensor_view %assume_2, shape = [%assume_12, %assume_assume_assume_14], strides = [%assume_assume_assume_16, 1] : tile<i32> -> tensor_view<?x?xi8, strides=[?,1]>
  %assume_assume_18 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
  %tview_20 = make_tensor_view %assume_5, shape = [%assume_assume_assume_19], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x4096xbf16>, token
  %1 = ftof %tile  : tile<1x4096xbf16> -> tile<1x4096xf32>
  %2 = absf %1 : tile<1x4096xf32>
  %reduce = reduce %2 dim=1 identities=[0xFF800000 : f32] : tile<1x4096xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %11 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
    yield %11 : tile<f32>
  }
  %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %cst_f32 = constant <f32: 9.99999993E-9> : tile<f32>
  %reshape_21 = reshape %cst_f32 : tile<f32> -> tile<1x1xf32>
  %3 = maxf %reshape, %reshape_21 : tile<1x1xf32>
  %cst_127_f32 = constant <f32: 1.270000e+02> : tile<f32>
  %reshape_22 = reshape %cst_127_f32 : tile<f32> -> tile<1x1xf32>
  %4 = divf %3, %reshape_22  : tile<1x1xf32>
  %cst_0_i32_23 = constant <i32: 0> : tile<i32>
  %bcast = broadcast %4 : tile<1x1xf32> -> tile<1x4096xf32>
  %5 = divf %1, %bcast  : tile<1x4096xf32>
  %cst_f32_24 = constant <f32: 5.000000e-01> : tile<f32>
  %reshape_25 = reshape %cst_f32_24 : tile<f32> -> tile<1x1xf32>
  %bcast_26 = broadcast %reshape_25 : tile<1x1xf32> -> tile<1x4096xf32>
  %6 = addf %5, %bcast_26  : tile<1x4096xf32>
  %7 = floor %6 : tile<1x4096xf32>
  %8 = ftoi %7 signed  : tile<1x4096xf32> -> tile<1x4096xi8>
  %pview_27 = make_partition_view %tview_17 : partition_view<tile=(1x4096), tensor_view<?x?xi8, strides=[?,1]>>
  %9 = store_view_tko weak %8, %pview_27[%blockId_x, %cst_0_i32_23] token = %0 : tile<1x4096xi8>, partition_view<tile=(1x4096), tensor_view<?x?xi8, strides=[?,1]>>, tile<i32> -> token
  %reshape_28 = reshape %4 : tile<1x1xf32> -> tile<1xf32>
  %pview_29 = make_partition_view %tview_20 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %10 = store_view_tko weak %reshape_28, %pview_29[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
