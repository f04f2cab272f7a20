entry @fmha_gqa(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<f32>) optimization_hints=<default = {}> {
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
  %cst_4_i32 = constant <i32: 4> : tile<i32>
  %cst_128_i32 = constant <i32: 128> : tile<i32>
  %cst_128_i32_51 = constant <i32: 128> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_52, %blockId_y_53, %blockId_z_54 = get_tile_block_id : tile<i32>
  %1 = divi %blockId_y_53, %cst_4_i32 signed rounding<negative_inf> : tile<i32>
  %cst_f32 = constant <f32: 1.44269502> : tile<f32>
  %2 = mulf %arg28, %cst_f32  : tile<f32>
  %cst_f32_55 = constant <f32: 0xFF800000> : tile<128x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x1xf32>
  %cst_0_f32_56 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_y_53, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
  %reshape = reshape %tile : tile<1x128x128xf16> -> tile<128x128xf16>
  %3 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %4 = iota : tile<128xi32>
  %reshape_57 = reshape %4 : tile<128xi32> -> tile<128x1xi32>
  %reshape_58 = reshape %3 : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_58 : tile<1x1xi32> -> tile<128x1xi32>
  %5 = addi %bcast, %reshape_57 : tile<128x1xi32>
  %6 = muli %blockId_x, %cst_128_i32 : tile<i32>
  %7 = divi %6, %cst_128_i32_51 signed rounding<negative_inf> : tile<i32>
  %cst_1_i32_59 = constant <i32: 1> : tile<i32>
  %8 = addi %blockId_x, %cst_1_i32_59 : tile<i32>
  %9 = muli %8, %cst_128_i32 : tile<i32>
  %10 = divi %9, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
  %11 = divi %assume_25, %cst_128_i32_51 signed rounding<positive_inf> : tile<i32>
  %12 = mini %10, %11 signed : tile<i32>
  %cst_0_i32_60 = constant <i32: 0> : tile<i32>
  %cst_1_i32_61 = constant <i32: 1> : tile<i32>
  %cst_0_i32_62 = constant <i32: 0> : tile<i32>
  %pview_63 = make_partition_view %tview_32 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>
  %cst_0_f32_64 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %reshape_65 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %bcast_66 = broadcast %reshape_65 : tile<1x1xf32> -> tile<128x1xf32>
  %reshape_67 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %bcast_68 = broadcast %reshape_67 : tile<1x1xf32> -> tile<128x128xf32>
  %cst_0_i32_69 = constant <i32: 0> : tile<i32>
  %pview_70 = make_partition_view %tview_41 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %13 = mini %12, %7 signed : tile<i32>
  %14 = maxi %cst_0_i32_60, %7 signed : tile<i32>
  %for:3 = for %loopIdx in (%cst_0_i32_60 to %13, step %cst_1_i32_61) : tile<i32> iter_values(%iterArg0 = %cst_f32_55, %iterArg1 = %cst_0_f32, %iterArg2 = %cst_0_f32_56) -> (tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>) {
    %tile_76, %result_token_77 = load_view_tko weak %pview_63[%1, %cst_0_i32_62, %loopIdx] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_78 = reshape %tile_76 : tile<1x128x128xf16> -> tile<128x128xf16>
    %18 = mmaf %reshape, %reshape_78, %cst_0_f32_64 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    %reduce = reduce %18 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %30 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %30 : tile<f32>
    }
    %reshape_79 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
    %19 = mulf %reshape_79, %bcast_66  : tile<128x1xf32>
    %20 = maxf %iterArg0, %19 : tile<128x1xf32>
    %bcast_80 = broadcast %20 : tile<128x1xf32> -> tile<128x128xf32>
    %21 = negf %bcast_80 : tile<128x128xf32>
    %22 = fma %18, %bcast_68, %21  : tile<128x128xf32>
    %23 = exp2 %22 flush_to_zero : tile<128x128xf32>
    %24 = subf %iterArg0, %20  : tile<128x1xf32>
    %25 = exp2 %24 flush_to_zero : tile<128x1xf32>
    %reduce_81 = reduce %23 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %30 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %30 : tile<f32>
    }
    %reshape_82 = reshape %reduce_81 : tile<128xf32> -> tile<128x1xf32>
    %26 = fma %iterArg1, %25, %reshape_82  : tile<128x1xf32>
    %tile_83, %result_token_84 = load_view_tko weak %pview_70[%1, %loopIdx, %cst_0_i32_69] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_85 = reshape %tile_83 : tile<1x128x128xf16> -> tile<128x128xf16>
    %27 = ftof %23  : tile<128x128xf32> -> tile<128x128xf16>
    %bcast_86 = broadcast %25 : tile<128x1xf32> -> tile<128x128xf32>
    %28 = mulf %iterArg2, %bcast_86  : tile<128x128xf32>
    %29 = mmaf %27, %reshape_85, %28 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    continue %20, %26, %29 : tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>
  }
  %for_71:3 = for %loopIdx in (%14 to %12, step %cst_1_i32_61) : tile<i32> iter_values(%iterArg0 = %for#0, %iterArg1 = %for#1, %iterArg2 = %for#2) -> (tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>) {
    %tile_76, %result_token_77 = load_view_tko weak %pview_63[%1, %cst_0_i32_62, %loopIdx] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>, dim_map=[0, 2, 1]>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_78 = reshape %tile_76 : tile<1x128x128xf16> -> tile<128x128xf16>
    %18 = mmaf %reshape, %reshape_78, %cst_0_f32_64 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    %19 = muli %loopIdx, %cst_128_i32_51 : tile<i32>
    %20 = iota : tile<128xi32>
    %reshape_79 = reshape %20 : tile<128xi32> -> tile<1x128xi32>
    %reshape_80 = reshape %19 : tile<i32> -> tile<1x1xi32>
    %bcast_81 = broadcast %reshape_80 : tile<1x1xi32> -> tile<1x128xi32>
    %21 = addi %bcast_81, %reshape_79 : tile<1x128xi32>
    %bcast_82 = broadcast %5 : tile<128x1xi32> -> tile<128x128xi32>
    %bcast_83 = broadcast %21 : tile<1x128xi32> -> tile<128x128xi32>
    %22 = cmpi greater_than_or_equal %bcast_82, %bcast_83, signed : tile<128x128xi32> -> tile<128x128xi1>
    %cst_f32_84 = constant <f32: 0xFF800000> : tile<f32>
    %reshape_85 = reshape %cst_f32_84 : tile<f32> -> tile<1x1xf32>
    %bcast_86 = broadcast %reshape_85 : tile<1x1xf32> -> tile<128x128xf32>
    %23 = select %22, %18, %bcast_86 : tile<128x128xi1>, tile<128x128xf32>
    %reduce = reduce %23 dim=1 identities=[0xFF800000 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %35 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %35 : tile<f32>
    }
    %reshape_87 = reshape %reduce : tile<128xf32> -> tile<128x1xf32>
    %24 = mulf %reshape_87, %bcast_66  : tile<128x1xf32>
    %25 = maxf %iterArg0, %24 : tile<128x1xf32>
    %bcast_88 = broadcast %25 : tile<128x1xf32> -> tile<128x128xf32>
    %26 = negf %bcast_88 : tile<128x128xf32>
    %27 = fma %23, %bcast_68, %26  : tile<128x128xf32>
    %28 = exp2 %27 flush_to_zero : tile<128x128xf32>
    %29 = subf %iterArg0, %25  : tile<128x1xf32>
    %30 = exp2 %29 flush_to_zero : tile<128x1xf32>
    %reduce_89 = reduce %28 dim=1 identities=[0.000000e+00 : f32] : tile<128x128xf32> -> tile<128xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %35 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %35 : tile<f32>
    }
    %reshape_90 = reshape %reduce_89 : tile<128xf32> -> tile<128x1xf32>
    %31 = fma %iterArg1, %30, %reshape_90  : tile<128x1xf32>
    %tile_91, %result_token_92 = load_view_tko weak %pview_70[%1, %loopIdx, %cst_0_i32_69] token = %0 : partition_view<tile=(1x128x128), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x128x128xf16>, token
    %reshape_93 = reshape %tile_91 : tile<1x128x128xf16> -> tile<128x128xf16>
    %32 = ftof %28  : tile<128x128xf32> -> tile<128x128xf16>
    %bcast_94 = broadcast %30 : tile<128x1xf32> -> tile<128x128xf32>
    %33 = mulf %iterArg2, %bcast_94  : tile<128x128xf32>
    %34 = mmaf %32, %reshape_93, %33 : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32>
    continue %25, %31, %34 : tile<128x1xf32>, tile<128x1xf32>, tile<128x128xf32>
  }
  %bcast_72 = broadcast %for_71#1 : tile<128x1xf32> -> tile<128x128xf32>
  %15 = divf %for_71#2, %bcast_72  : tile<128x128xf32>
  %16 = ftof %15  : tile<128x128xf32> -> tile<128x128xf16>
  %cst_0_i32_73 = constant <i32: 0> : tile<i32>
  %reshape_74 = reshape %16 : tile<128x128xf16> -> tile<1x128x128xf16>
  %pview_75 = make_partition_view %tview_50 : partition_view<tile=(1x128x128), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %17 = store_view_tko weak %reshape_74, %pview_75[%blockId_y_53, %blockId_x, %cst_0_i32_73] token = %0 : tile<1x128x128xf16>, partition_view<tile=(1x128x128), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
