entry @layer_norm_backward(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<bf16>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<bf16>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<ptr<f32>>, %arg14: tile<i32>, %arg15: tile<i32>, %arg16: tile<ptr<f32>>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<ptr<bf16>>, %arg20: tile<i32>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<f32>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<ptr<f32>>, %arg28: tile<i32>, %arg29: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<bf16>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<bf16>>
  %assume_6 = assume div_by<16>, %arg11 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<ptr<f32>>
  %assume_8 = assume div_by<16>, %arg14 : tile<i32>
  %assume_9 = assume div_by<16>, %arg16 : tile<ptr<f32>>
  %assume_10 = assume div_by<16>, %arg17 : tile<i32>
  %assume_11 = assume div_by<16>, %arg19 : tile<ptr<bf16>>
  %assume_12 = assume div_by<16>, %arg21 : tile<i32>
  %assume_13 = assume div_by<16>, %arg22 : tile<i32>
  %assume_14 = assume div_by<16>, %arg24 : tile<ptr<f32>>
  %assume_15 = assume div_by<16>, %arg25 : tile<i32>
  %assume_16 = assume div_by<16>, %arg27 : tile<ptr<f32>>
  %assume_17 = assume div_by<16>, %arg28 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_18 = constant <i32: 1> : tile<i32>
  %cst_1_i32_19 = constant <i32: 1> : tile<i32>
  %cst_1_i32_20 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_21 = constant <i64: 1> : tile<i64>
  %cst_1_i64_22 = constant <i64: 1> : tile<2048xi64>
  %cst_1_i64_23 = constant <i64: 1> : tile<2048xi64>
  %assume_24 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_25 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_26 = assume div_by<16>, %assume_assume_25 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_24, %assume_assume_assume], strides = [%assume_assume_assume_26, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_27 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %assume_assume_30 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
  %tview_32 = make_tensor_view %assume_2, shape = [%assume_27, %assume_assume_assume_29], strides = [%assume_assume_assume_31, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_assume_33 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_34 = assume div_by<16>, %assume_assume_33 : tile<i32>
  %tview_35 = make_tensor_view %assume_5, shape = [%assume_assume_assume_34], strides = [1] : tile<i32> -> tensor_view<?xbf16, strides=[1]>
  %assume_assume_36 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_37 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_38 = assume bounded<0, ?>, %arg20 : tile<i32>
  %assume_assume_39 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_40 = assume div_by<16>, %assume_assume_39 : tile<i32>
  %assume_assume_41 = assume bounded<0, ?>, %assume_13 : tile<i32>
  %assume_assume_assume_42 = assume div_by<16>, %assume_assume_41 : tile<i32>
  %tview_43 = make_tensor_view %assume_11, shape = [%assume_38, %assume_assume_assume_40], strides = [%assume_assume_assume_42, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_assume_44 = assume bounded<0, ?>, %assume_15 : tile<i32>
  %assume_assume_45 = assume bounded<0, ?>, %assume_17 : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = iota : tile<2048xi32>
  %reshape = reshape %1 : tile<2048xi32> -> tile<1x2048xi32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x2048xbf16>, token
  %2 = ftof %tile  : tile<1x2048xbf16> -> tile<1x2048xf32>
  %cst_0_i32_46 = constant <i32: 0> : tile<i32>
  %pview_47 = make_partition_view %tview_32 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>
  %tile_48, %result_token_49 = load_view_tko weak %pview_47[%blockId_x, %cst_0_i32_46] token = %0 : partition_view<tile=(1x2048), padding_value = zero, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x2048xbf16>, token
  %3 = ftof %tile_48  : tile<1x2048xbf16> -> tile<1x2048xf32>
  %cst_0_i32_50 = constant <i32: 0> : tile<i32>
  %pview_51 = make_partition_view %tview_35 : partition_view<tile=(2048), padding_value = zero, tensor_view<?xbf16, strides=[1]>>
  %tile_52, %result_token_53 = load_view_tko weak %pview_51[%cst_0_i32_50] token = %0 : partition_view<tile=(2048), padding_value = zero, tensor_view<?xbf16, strides=[1]>>, tile<i32> -> tile<2048xbf16>, token
  %4 = ftof %tile_52  : tile<2048xbf16> -> tile<2048xf32>
  %reshape_54 = reshape %4 : tile<2048xf32> -> tile<1x2048xf32>
  %5 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %6 = exti %assume_assume_37 signed : tile<i32> -> tile<i64>
  %7 = cmpi less_than %5, %6, unsigned : tile<i64> -> tile<i1>
  %8 = muli %5, %cst_1_i64 : tile<i64>
  %9 = offset %assume_9, %8 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_55 = assume div_by<4>, %9 : tile<ptr<f32>>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<f32>
  %result, %result_token_56 = load_ptr_tko weak %assume_55, %7, %cst_0_f32 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %reshape_57 = reshape %assume_assume_assume : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_57 : tile<1x1xi32> -> tile<1x2048xi32>
  %10 = cmpi less_than %reshape, %bcast, signed : tile<1x2048xi32> -> tile<1x2048xi1>
  %11 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %12 = exti %assume_assume_36 signed : tile<i32> -> tile<i64>
  %13 = cmpi less_than %11, %12, unsigned : tile<i64> -> tile<i1>
  %14 = muli %11, %cst_1_i64_21 : tile<i64>
  %15 = offset %assume_7, %14 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
  %assume_58 = assume div_by<4>, %15 : tile<ptr<f32>>
  %cst_0_f32_59 = constant <f32: 0.000000e+00> : tile<f32>
  %result_60, %result_token_61 = load_ptr_tko weak %assume_58, %13, %cst_0_f32_59 token=%0 : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %reshape_62 = reshape %result_60 : tile<f32> -> tile<1x1xf32>
  %bcast_63 = broadcast %reshape_62 : tile<1x1xf32> -> tile<1x2048xf32>
  %16 = subf %2, %bcast_63  : tile<1x2048xf32>
  %reshape_64 = reshape %result : tile<f32> -> tile<1x1xf32>
  %bcast_65 = broadcast %reshape_64 : tile<1x1xf32> -> tile<1x2048xf32>
  %17 = mulf %16, %bcast_65  : tile<1x2048xf32>
  %cst_0_f32_66 = constant <f32: 0.000000e+00> : tile<f32>
  %reshape_67 = reshape %cst_0_f32_66 : tile<f32> -> tile<1x1xf32>
  %bcast_68 = broadcast %reshape_67 : tile<1x1xf32> -> tile<1x2048xf32>
  %18 = select %10, %17, %bcast_68 : tile<1x2048xi1>, tile<1x2048xf32>
  %19 = mulf %reshape_54, %3  : tile<1x2048xf32>
  %20 = mulf %18, %19  : tile<1x2048xf32>
  %reduce = reduce %20 dim=1 identities=[0.000000e+00 : f32] : tile<1x2048xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %42 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %42 : tile<f32>
  }
  %reshape_69 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
  %21 = itof %assume_assume_assume signed  : tile<i32> -> tile<f32>
  %reshape_70 = reshape %21 : tile<f32> -> tile<1x1xf32>
  %22 = divf %reshape_69, %reshape_70  : tile<1x1xf32>
  %reduce_71 = reduce %19 dim=1 identities=[0.000000e+00 : f32] : tile<1x2048xf32> -> tile<1xf32> 
  (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
    %42 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
    yield %42 : tile<f32>
  }
  %reshape_72 = reshape %reduce_71 : tile<1xf32> -> tile<1x1xf32>
  %23 = itof %assume_assume_assume signed  : tile<i32> -> tile<f32>
  %reshape_73 = reshape %23 : tile<f32> -> tile<1x1xf32>
  %24 = divf %reshape_72, %reshape_73  : tile<1x1xf32>
  %bcast_74 = broadcast %22 : tile<1x1xf32> -> tile<1x2048xf32>
  %bcast_75 = broadcast %24 : tile<1x1xf32> -> tile<1x2048xf32>
  %25 = fma %18, %bcast_74, %bcast_75  : tile<1x2048xf32>
  %26 = subf %19, %25  : tile<1x2048xf32>
  %reshape_76 = reshape %result : tile<f32> -> tile<1x1xf32>
  %bcast_77 = broadcast %reshape_76 : tile<1x1xf32> -> tile<1x2048xf32>
  %27 = mulf %26, %bcast_77  : tile<1x2048xf32>
  %cst_0_i32_78 = constant <i32: 0> : tile<i32>
  %28 = ftof %27  : tile<1x2048xf32> -> tile<1x2048xbf16>
  %pview_79 = make_partition_view %tview_43 : partition_view<tile=(1x2048), tensor_view<?x?xbf16, strides=[?,1]>>
  %29 = store_view_tko weak %28, %pview_79[%blockId_x, %cst_0_i32_78] token = %0 : tile<1x2048xbf16>, partition_view<tile=(1x2048), tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> token
  %30 = iota : tile<2048xi32>
  %31 = mulf %3, %18  : tile<1x2048xf32>
  %reshape_80 = reshape %31 : tile<1x2048xf32> -> tile<2048xf32>
  %32 = exti %30 signed : tile<2048xi32> -> tile<2048xi64>
  %33 = exti %assume_assume_44 signed : tile<i32> -> tile<i64>
  %reshape_81 = reshape %33 : tile<i64> -> tile<1xi64>
  %bcast_82 = broadcast %reshape_81 : tile<1xi64> -> tile<2048xi64>
  %34 = cmpi less_than %32, %bcast_82, unsigned : tile<2048xi64> -> tile<2048xi1>
  %35 = muli %32, %cst_1_i64_22 : tile<2048xi64>
  %reshape_83 = reshape %assume_14 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_84 = broadcast %reshape_83 : tile<1xptr<f32>> -> tile<2048xptr<f32>>
  %36 = offset %bcast_84, %35 : tile<2048xptr<f32>>, tile<2048xi64> -> tile<2048xptr<f32>>
  %result_85, %result_token_86 = atomic_rmw_tko relaxed device %36, addf, %reshape_80, %34 token=%0 : tile<2048xptr<f32>>, tile<2048xf32>, tile<2048xi1> -> tile<2048xf32>, token
  %reshape_87 = reshape %3 : tile<1x2048xf32> -> tile<2048xf32>
  %37 = exti %30 signed : tile<2048xi32> -> tile<2048xi64>
  %38 = exti %assume_assume_45 signed : tile<i32> -> tile<i64>
  %reshape_88 = reshape %38 : tile<i64> -> tile<1xi64>
  %bcast_89 = broadcast %reshape_88 : tile<1xi64> -> tile<2048xi64>
  %39 = cmpi less_than %37, %bcast_89, unsigned : tile<2048xi64> -> tile<2048xi1>
  %40 = muli %37, %cst_1_i64_23 : tile<2048xi64>
  %reshape_90 = reshape %assume_16 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_91 = broadcast %reshape_90 : tile<1xptr<f32>> -> tile<2048xptr<f32>>
  %41 = offset %bcast_91, %40 : tile<2048xptr<f32>>, tile<2048xi64> -> tile<2048xptr<f32>>
  %result_92, %result_token_93 = atomic_rmw_tko relaxed device %41, addf, %reshape_87, %39 token=%0 : tile<2048xptr<f32>>, tile<2048xf32>, tile<2048xi1> -> tile<2048xf32>, token
  return
}
