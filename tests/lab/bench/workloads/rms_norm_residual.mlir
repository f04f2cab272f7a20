entry @rms_norm_residual(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<bf16>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<ptr<bf16>>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<bf16>>
  %assume_6 = assume div_by<16>, %arg11 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<ptr<bf16>>
  %assume_8 = assume div_by<16>, %arg15 : tile<i32>
  %assume_9 = assume div_by<16>, %arg16 : tile<i32>
  %assume_10 = assume div_by<16>, %arg18 : tile<ptr<bf16>>
  %assume_11 = assume div_by<16>, %arg20 : tile<i32>
  %assume_12 = assume div_by<16>, %arg21 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_13 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %assume_17 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_18 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_19 = assume div_by<16>, %assume_assume_18 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_17, %assume_assume_assume], strides = [%assume_assume_assume_19, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_20 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_21 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_22 = assume div_by<16>, %assume_assume_21 : tile<i32>
  %assume_assume_23 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_24 = assume div_by<16>, %assume_assume_23 : tile<i32>
  %tview_25 = make_tensor_view %assume_2, shape = [%assume_20, %assume_assume_assume_22], strides = [%assume_assume_assume_24, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_assume_26 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %tview_28 = make_tensor_view %assume_5, shape = [%assume_assume_assume_27], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_29 = assume bounded<0, ?>, %arg14 : tile<i32>
  %assume_assume_30 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
  %assume_assume_32 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_33 = assume div_by<16>, %assume_assume_32 : tile<i32>
  %tview_34 = make_tensor_view %assume_7, shape = [%assume_29, %assume_assume_assume_31], strides = [%assume_assume_assume_33, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_35 = assume bounded<0, ?>, %arg19 : tile<i32>
  %assume_assume_36 = assume bounded<0, ?>, %assume_11 : tile<i32>
  %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
  %assume_assume_38 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
  %tview_40 = make_tensor_view %assume_10, shape = [%assume_35, %assume_assume_assume_37], strides = [%assume_assume_assume_39, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x4096xbf16>, token
  %1 = ftof %tile  : tile<1x4096xbf16> -> tile<1x4096xf32>
  %cst_0_i32_41 = constant <i32: 0> : tile<i32>
  %pview_42 = make_partition_view %tview_25 : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile_43, %result_token_44 = load_view_tko weak %pview_42[%blockId_x, %cst_0_i32_41] token = %0 : partition_view<tile=(1x4096), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x4096xbf16>, token
  %2 = ftof %tile_43  : tile<1x4096xbf16> -> tile<1x4096xf32>
  %3 = addf %1, %2  : tile<1x4096xf32>
  %cst_0_i32_45 = constant <i32: 0> : tile<i32>
  %4 = ftof %3  : tile<1x4096xf32> -> tile<1x4096xbf16>
  %pview_46 = make_partition_view %tview_40 : partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>>
  %5 = store_view_tko weak %4, %pview_46[%blockId_x, %cst_0_i32_45] token = %0 : tile<1x4096xbf16>, partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  %6 = mulf %3, %3  : tile<1x4096xf32>
  %reduce = reduce %6 dim=1 identities=[0.000000e+00 : f32] : tile<1x4096xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %16 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %16 : tile<f32>
  }
  %reshape = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %7 = itof %assume_assume_assume signed  : tile<i32> -> tile<f32>
  %reshape_47 = reshape %7 : tile<f32> -> tile<1x1xf32>
  %8 = divf %reshape, %reshape_47  : tile<1x1xf32>
  %reshape_48 = reshape %arg23 : tile<f32> -> tile<1x1xf32>
  %9 = addf %8, %reshape_48  : tile<1x1xf32>
  %10 = rsqrt %9 : tile<1x1xf32>
  %cst_0_i32_49 = constant <i32: 0> : tile<i32>
  %pview_50 = make_partition_view %tview_28 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
  %tile_51, %result_token_52 = load_view_tko weak %pview_50[%cst_0_i32_49] token = %0 : partition_view<tile=(4096), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<4096xbf16>, token
  %11 = ftof %tile_51  : tile<4096xbf16> -> tile<4096xf32>
  %cst_0_i32_53 = constant <i32: 0> : tile<i32>
  %bcast = broadcast %10 : tile<1x1xf32> -> tile<1x4096xf32>
  %12 = mulf %3, %bcast  : tile<1x4096xf32>
  %reshape_54 = reshape %11 : tile<4096xf32> -> tile<1x4096xf32>
  %13 = mulf %12, %reshape_54  : tile<1x4096xf32>
  %14 = ftof %13  : tile<1x4096xf32> -> tile<1x4096xbf16>
  %pview_55 = make_partition_view %tview_34 : partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>>
  %15 = store_view_tko weak %14, %pview_55[%blockId_x, %cst_0_i32_53] token = %0 : tile<1x4096xbf16>, partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  return
}
