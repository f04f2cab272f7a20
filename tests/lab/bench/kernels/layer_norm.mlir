entry @layer_norm(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<ptr<f32>>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg1 : tile<i32>
  %assume_1 = assume div_by<16>, %arg2 : tile<i32>
  %assume_2 = assume div_by<16>, %arg3 : tile<i32>
  %assume_3 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg6 : tile<i32>
  %assume_5 = assume div_by<16>, %arg8 : tile<ptr<f32>>
  %assume_6 = assume div_by<16>, %arg9 : tile<i32>
  %assume_7 = assume div_by<16>, %arg11 : tile<ptr<f32>>
  %assume_8 = assume div_by<16>, %arg12 : tile<i32>
  %assume_9 = assume div_by<16>, %arg13 : tile<i32>
  %assume_10 = assume div_by<16>, %arg14 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_11 = constant <i32: 1> : tile<i32>
  %cst_1_i32_12 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_14 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_15 = assume div_by<16>, %assume_assume_14 : tile<i32>
  %assume_assume_16 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_17 = assume div_by<16>, %assume_assume_16 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_assume_assume, %assume_assume_assume_15], strides = [%assume_assume_assume_17, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_assume_18 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
  %tview_20 = make_tensor_view %assume_3, shape = [%assume_assume_assume_19], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_assume_21 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_22 = assume div_by<16>, %assume_assume_21 : tile<i32>
  %tview_23 = make_tensor_view %assume_5, shape = [%assume_assume_assume_22], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %assume_assume_24 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
  %assume_assume_26 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %tview_30 = make_tensor_view %assume_7, shape = [%assume_assume_assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x4096xf32>, token
  %reduce = reduce %tile dim=1 identities=[0.000000e+00 : f32] : tile<1x4096xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %15 : tile<f32>
  }
  %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %1 = itof %assume_assume_assume_15 signed  : tile<i32> -> tile<f32>
  %reshape_31 = reshape %1 : tile<f32> -> tile<1x1xf32>
  %2 = divf %reshape, %reshape_31  : tile<1x1xf32>
  %3 = iota : tile<4096xi32>
  %reshape_32 = reshape %assume_assume_assume_15 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape_32 : tile<1xi32> -> tile<4096xi32>
  %4 = cmpi less_than %3, %bcast, signed : tile<4096xi32> -> tile<4096xi1>
  %bcast_33 = broadcast %2 : tile<1x1xf32> -> tile<1x4096xf32>
  %5 = subf %tile, %bcast_33  : tile<1x4096xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_34 = reshape %4 : tile<4096xi1> -> tile<1x4096xi1>
  %reshape_35 = reshape %cst_0_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_36 = broadcast %reshape_35 : tile<1x1xf32> -> tile<1x4096xf32>
  %6 = select %reshape_34, %5, %bcast_36 : tile<1x4096xi1>, tile<1x4096xf32>
  %7 = mulf %6, %6  : tile<1x4096xf32>
  %reduce_37 = reduce %7 dim=1 identities=[0.000000e+00 : f32] : tile<1x4096xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %15 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %15 : tile<f32>
  }
  %reshape_38 = reshape %reduce_37 : tile<1xf32> -> tile<1x1xf32>
  %8 = itof %assume_assume_assume_15 signed  : tile<i32> -> tile<f32>
  %reshape_39 = reshape %8 : tile<f32> -> tile<1x1xf32>
  %9 = divf %reshape_38, %reshape_39  : tile<1x1xf32>
  %reshape_40 = reshape %arg16 : tile<f32> -> tile<1x1xf32>
  %10 = addf %9, %reshape_40  : tile<1x1xf32>
  %11 = rsqrt %10 : tile<1x1xf32>
  %cst_0_i32_41 = constant <i32: 0> : tile<i32>
  %pview_42 = make_partition_view %tview_20 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_43, %result_token_44 = load_view_tko weak %pview_42[%cst_0_i32_41] token = %0 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4096xf32>, token
  %cst_0_i32_45 = constant <i32: 0> : tile<i32>
  %pview_46 = make_partition_view %tview_23 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tile_47, %result_token_48 = load_view_tko weak %pview_46[%cst_0_i32_45] token = %0 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4096xf32>, token
  %cst_0_i32_49 = constant <i32: 0> : tile<i32>
  %bcast_50 = broadcast %11 : tile<1x1xf32> -> tile<1x4096xf32>
  %12 = mulf %6, %bcast_50  : tile<1x4096xf32>
  %reshape_51 = reshape %tile_43 : tile<4096xf32> -> tile<1x4096xf32>
  %reshape_52 = reshape %tile_47 : tile<4096xf32> -> tile<1x4096xf32>
  %13 = fma %12, %reshape_51, %reshape_52  : tile<1x4096xf32>
  %pview_53 = make_partition_view %tview_30 : partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>
  %14 = store_view_tko weak %13, %pview_53[%blockId_x, %cst_0_i32_49] token = %0 : tile<1x4096xf32>, partition_view<tile=(1x4096), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
