entry @fmha_causal_d128(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<i32>
  %assume_1 = assume div_by<16>, %arg4 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<i32>
  %assume_3 = assume div_by<16>, %arg7 : tile<ptr<f16>>
  %assume_4 = assume div_by<16>, %arg10 : tile<i32>
  %assume_5 = assume div_by<16>, %arg11 : tile<i32>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg14 : tile<ptr<f16>>
  %assume_8 = assume div_by<16>, %arg17 : tile<i32>
  %assume_9 = assume div_by<16>, %arg18 : tile<i32>
  %assume_10 = assume div_by<16>, %arg19 : tile<i32>
  %assume_11 = assume div_by<16>, %arg21 : tile<ptr<f16>>
  %assume_12 = assume div_by<16>, %arg24 : tile<i32>
  %assume_13 = assume div_by<16>, %arg25 : tile<i32>
  %assume_14 = assume div_by<16>, %arg26 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_19 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_20 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_21 = assume div_by<16>, %assume_assume_20 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_18, %assume_19, %assume_assume_assume], strides = [%assume_assume_assume_21, %assume_assume_assume_23, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_24 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_25 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_assume_26 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_27 = assume div_by<16>, %assume_assume_26 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %assume_assume_30 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
  %tview_32 = make_tensor_view %assume_3, shape = [%assume_24, %assume_25, %assume_assume_assume_27], strides = [%assume_assume_assume_29, %assume_assume_assume_31, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_33 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_34 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_assume_35 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_36 = assume div_by<16>, %assume_assume_35 : tile<i32>
  %assume_assume_37 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_38 = assume div_by<16>, %assume_assume_37 : tile<i32>
  %assume_assume_39 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_40 = assume div_by<16>, %assume_assume_39 : tile<i32>
  %tview_41 = make_tensor_view %assume_7, shape = [%assume_33, %assume_34, %assume_assume_assume_36], strides = [%assume_assume_assume_38, %assume_assume_assume_40, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_42 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_43 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_assume_44 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_45 = assume div_by<16>, %assume_assume_44 : tile<i32>
  %assume_assume_46 = assume bounded<0, ?>, %assume_13 : tile<i32>
  %assume_assume_assume_47 = assume div_by<16>, %assume_assume_46 : tile<i32>
  %assume_assume_48 = assume bounded<0, ?>, %assume_14 : tile<i32>
  %assume_assume_assume_49 = assume div_by<16>, %assume_assume_48 : tile<i32>
  %tview_50 = make_tensor_view %assume_11, shape = [%assume_42, %assume_43, %assume_assume_assume_45], strides = [%assume_assume_assume_47, %assume_assume_assume_49, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_128_i32_51 = constant <i32: 128> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_52, %blockId_y_53, %blockId_z_54 = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: 1.44269502> : tile<f32>
  %1 = mulf %arg28, %cst_f32  : tile<f32>
  %cst_f32_55 = constant <f32: 0xFF800000> : tile<128x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x1xf32>
  %cst_0_f32_56 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_y_53, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
  %reshape = reshape %tile : tile<1x128x128xf16> -> tile<128x128xf16>
  %2 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %3 = iota : tile<128xi32>
  %reshape_57 = reshape %3 : tile<128xi32> -> tile<128x1xi32>
  %reshape_58 = reshape %2 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_58 : tile<1x1xi32> -> tile<128x1xi32>
  %4 = addi %bcast, %reshape_57 : tile<128x1xi32>
  %5 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %6 = divi %5, %cst_128_i32_51 signed rounding<negative_inf> : tile<i32>
  %cst_1_i32_59 = constant <i32: 1> : tile<i32>
  %7 = addi %blockId_x, %cst_1_i32_59 : tile<i32>
  %8 = muli %7, %cst_128_i32 : tile<i32>
  %9 = divi %8, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
  %10 = divi %assume_25, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
  %11 = mini %9, %10 signed : tile<i32>
  %cst_0_i32_60 = constant <i32: 0> : tile<i32>
  %cst_1_i32_61 = constant <i32: 1> : tile<i32>
  %cst_0_i32_62 = constant <i32: 0> : tile<i32>
  %pview_63 = make_partition_view %tview_32 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>
  %cst_0_f32_64 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %reshape_65 = reshape %1 : tile<f32> -> tile<1x1xf32>
  %bcast_66 = broadcast %reshape_65 : tile<1x1xf32> -> tile<128x1xf32>
  %reshape_67 = reshape %1 : tile<f32> -> tile<1x1xf32>
  %bcast_68 = broadcast %reshape_67 : tile<1x1xf32> -> tile<128x128xf32>
  %cst_0_i32_69 = constant <i32: 0> : tile<i32>
  %pview_70 = make_partition_view %tview_41 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %12 = mini %11, %6 signed : tile<i32>
  %13 = maxi %cst_0_i32_60, %6 signed : tile<i32>
  %for:3 = for %loopIdx in (%cst_0_i32_60 to %12, step %cst_1_i32_61) : tile<i32> iter_values(%iterArg0 = %cst_f32_55, %iterArg1 = %cst_0_f32, %iterArg2 = %cst_0_f32_56) -> (tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>) {
    %tile_76, %result_token_77 = load_view_tko weak %pview_63[%blockId_y_53, %cst_0_i32_62, %loopIdx] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_78 = reshape %tile_76 : tile<1x128x128xf16> -> tile<128x128xf16>
    %17 = mmaf %reshape, %reshape_78, %cst_0_f32_64 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    %reduce = reduce %17 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %29 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %29 : tile<f32>
    }
    %reshape_79 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
    %18 = mulf %reshape_79, %bcast_66  : tile<128x1xf32>
    %19 = maxf %iterArg0, %18 : tile<128x1xf32>
    %bcast_80 = broadcast %19 : tile<128x1xf32> -> tile<128x128xf32>
    %20 = negf %bcast_80 : tile<128x128xf32>
    %21 = fma %17, %bcast_68, %20  : tile<128x128xf32>
    %22 = exp2 %21 flush_to_zero : tile<128x128xf32>
    %23 = subf %iterArg0, %19  : tile<128x1xf32>
    %24 = exp2 %23 flush_to_zero : tile<128x1xf32>
    %reduce_81 = reduce %22 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %29 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %29 : tile<f32>
    }
    %reshape_82 = reshape %reduce_81 : tile<128xf32> -> tile<128x1xf32>
    %25 = fma %iterArg1, %24, %reshape_82  : tile<128x1xf32>
    %tile_83, %result_token_84 = load_view_tko weak %pview_70[%blockId_y_53, %loopIdx, %cst_0_i32_69] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_85 = reshape %tile_83 : tile<1x128x128xf16> -> tile<128x128xf16>
    %26 = ftof %22  : tile<128x128xf32> -> tile<128x128xf16>
    %bcast_86 = broadcast %24 : tile<128x1xf32> -> tile<128x128xf32>
    %27 = mulf %iterArg2, %bcast_86  : tile<128x128xf32>
    %28 = mmaf %26, %reshape_85, %27 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    continue %19, %25, %28 : tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>
  }
  %for_71:3 = for %loopIdx in (%13 to %11, step %cst_1_i32_61) : tile<i32> iter_values(%iterArg0 = %for#0, %iterArg1 = %for#1, %iterArg2 = %for#2) -> (tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>) {
    %tile_76, %result_token_77 = load_view_tko weak %pview_63[%blockId_y_53, %cst_0_i32_62, %loopIdx] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_78 = reshape %tile_76 : tile<1x128x128xf16> -> tile<128x128xf16>
    %17 = mmaf %reshape, %reshape_78, %cst_0_f32_64 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    %18 = muli %loopIdx, %cst_128_i32_51 : tile<i32>
    %19 = iota : tile<128xi32>
    %reshape_79 = reshape %19 : tile<128xi32> -> tile<1x128xi32>
    %reshape_80 = reshape %18 : tile<i32> -> tile<1x1xi32>
    %bcast_81 = broadcast %reshape_80 : tile<1x1xi32> -> tile<1x128xi32>
    %20 = addi %bcast_81, %reshape_79 : tile<1x128xi32>
    %bcast_82 = broadcast %4 : tile<128x1xi32> -> tile<128x128xi32>
    %bcast_83 = broadcast %20 : tile<1x128xi32> -> tile<128x128xi32>
    %21 = cmpi greater_than_or_equal %bcast_82, %bcast_83, signed : tile<128x128xi32> -> tile<128x128xi1>
    %cst_f32_84 = constant <f32: 0xFF800000> : tile<f32>
    %reshape_85 = reshape %cst_f32_84 : tile<f32> -> tile<1x1xf32>
    %bcast_86 = broadcast %reshape_85 : tile<1x1xf32> -> tile<128x128xf32>
    %22 = select %21, %17, %bcast_86 : tile<128x128xi1>, tile<128x128xf32>
    %reduce = reduce %22 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %34 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %34 : tile<f32>
    }
    %reshape_87 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
    %23 = mulf %reshape_87, %bcast_66  : tile<128x1xf32>
    %24 = maxf %iterArg0, %23 : tile<128x1xf32>
    %bcast_88 = broadcast %24 : tile<128x1xf32> -> tile<128x128xf32>
    %25 = negf %bcast_88 : tile<128x128xf32>
    %26 = fma %22, %bcast_68, %25  : tile<128x128xf32>
    %27 = exp2 %26 flush_to_zero : tile<128x128xf32>
    %28 = subf %iterArg0, %24  : tile<128x1xf32>
    %29 = exp2 %28 flush_to_zero : tile<128x1xf32>
    %reduce_89 = reduce %27 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %34 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %34 : tile<f32>
    }
    %reshape_90 = reshape %reduce_89 : tile<128xf32> -> tile<128x1xf32>
    %30 = fma %iterArg1, %29, %reshape_90  : tile<128x1xf32>
    %tile_91, %result_token_92 = load_view_tko weak %pview_70[%blockId_y_53, %loopIdx, %cst_0_i32_69] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_93 = reshape %tile_91 : tile<1x128x128xf16> -> tile<128x128xf16>
    %31 = ftof %27  : tile<128x128xf32> -> tile<128x128xf16>
    %bcast_94 = broadcast %29 : tile<128x1xf32> -> tile<128x128xf32>
    %32 = mulf %iterArg2, %bcast_94  : tile<128x128xf32>
    %33 = mmaf %31, %reshape_93, %32 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    continue %24, %30, %33 : tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>
  }
  %bcast_72 = broadcast %for_71#1 : tile<128x1xf32> -> tile<128x128xf32>
  %14 = divf %for_71#2, %bcast_72  : tile<128x128xf32>
  %15 = ftof %14  : tile<128x128xf32> -> tile<128x128xf16>
  %cst_0_i32_73 = constant <i32: 0> : tile<i32>
  %reshape_74 = reshape %15 : tile<128x128xf16> -> tile<1x128x128xf16>
  %pview_75 = make_partition_view %tview_50 : partition_view<tile=(1x128x128), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %16 = store_view_tko weak %reshape_74, %pview_75[%blockId_y_53, %blockId_x, %cst_0_i32_73] token = %0 : tile<1x128x128xf16>, partition_view<tile=(1x128x128), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
