entry @gqa_decode(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<bf16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<bf16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<i32>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<ptr<bf16>>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<i32>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<f32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg3 : tile<i32>
  %assume_1 = assume div_by<16>, %arg4 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<i32>
  %assume_3 = assume div_by<16>, %arg7 : tile<ptr<bf16>>
  %assume_4 = assume div_by<16>, %arg10 : tile<i32>
  %assume_5 = assume div_by<16>, %arg11 : tile<i32>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg14 : tile<ptr<bf16>>
  %assume_8 = assume div_by<16>, %arg17 : tile<i32>
  %assume_9 = assume div_by<16>, %arg18 : tile<i32>
  %assume_10 = assume div_by<16>, %arg19 : tile<i32>
  %assume_11 = assume div_by<16>, %arg21 : tile<ptr<i32>>
  %assume_12 = assume div_by<16>, %arg24 : tile<ptr<bf16>>
  %assume_13 = assume div_by<16>, %arg27 : tile<i32>
  %assume_14 = assume div_by<16>, %arg28 : tile<i32>
  %assume_15 = assume div_by<16>, %arg29 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %cst_1_i32_18 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %assume_19 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_20 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_21 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_22 = assume div_by<16>, %assume_assume_21 : tile<i32>
  %assume_assume_23 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_24 = assume div_by<16>, %assume_assume_23 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_19, %assume_20, %assume_assume_assume], strides = [%assume_assume_assume_22, %assume_assume_assume_24, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_25 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_26 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_assume_27 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_28 = assume div_by<16>, %assume_assume_27 : tile<i32>
  %assume_assume_29 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_30 = assume div_by<16>, %assume_assume_29 : tile<i32>
  %assume_assume_31 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_32 = assume div_by<16>, %assume_assume_31 : tile<i32>
  %tview_33 = make_tensor_view %assume_3, shape = [%assume_25, %assume_26, %assume_assume_assume_28], strides = [%assume_assume_assume_30, %assume_assume_assume_32, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_34 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_35 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_assume_36 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
  %assume_assume_38 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
  %assume_assume_40 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
  %tview_42 = make_tensor_view %assume_7, shape = [%assume_34, %assume_35, %assume_assume_assume_37], strides = [%assume_assume_assume_39, %assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %assume_43 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_44 = assume bounded<0, ?>, %arg25 : tile<i32>
  %assume_45 = assume bounded<0, ?>, %arg26 : tile<i32>
  %assume_assume_46 = assume bounded<0, ?>, %assume_13 : tile<i32>
  %assume_assume_assume_47 = assume div_by<16>, %assume_assume_46 : tile<i32>
  %assume_assume_48 = assume bounded<0, ?>, %assume_14 : tile<i32>
  %assume_assume_assume_49 = assume div_by<16>, %assume_assume_48 : tile<i32>
  %assume_assume_50 = assume bounded<0, ?>, %assume_15 : tile<i32>
  %assume_assume_assume_51 = assume div_by<16>, %assume_assume_50 : tile<i32>
  %tview_52 = make_tensor_view %assume_12, shape = [%assume_44, %assume_45, %assume_assume_assume_47], strides = [%assume_assume_assume_49, %assume_assume_assume_51, 1] : tile<i32> -> tensor_view<?x?x?xbf16, strides=[?,?,1]>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: 1.44269502> : tile<f32>
  %1 = mulf %arg31, %cst_f32  : tile<f32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %3 = exti %assume_43 signed : tile<i32> -> tile<i64>
  %4 = cmpi less_than %2, %3, unsigned : tile<i64> -> tile<i1>
  %5 = muli %2, %cst_1_i64 : tile<i64>
  %6 = offset %assume_11, %5 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_53 = assume div_by<4>, %6 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_53, %4, %cst_0_i32 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %cst_f32_54 = constant <f32: 0xFF800000> : tile<16x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<16x1xf32>
  %cst_0_f32_55 = constant <f32: 0.000000e+00> : tile<16x128xf32>
  %cst_0_i32_56 = constant <i32: 0> : tile<i32>
  %cst_0_i32_57 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x16x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %tile, %result_token_58 = load_view_tko weak %pview[%blockId_x, %cst_0_i32_56, %cst_0_i32_57] token = %0 : partition_view<tile=(1x16x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x16x128xbf16>, token
  %reshape = reshape %tile : tile<1x16x128xbf16> -> tile<16x128xbf16>
  %7 = divi %result, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
  %cst_0_i32_59 = constant <i32: 0> : tile<i32>
  %cst_1_i32_60 = constant <i32: 1> : tile<i32>
  %cst_0_i32_61 = constant <i32: 0> : tile<i32>
  %pview_62 = make_partition_view %tview_33 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %cst_0_f32_63 = constant <f32: 0.000000e+00> : tile<16x64xf32>
  %8 = iota : tile<64xi32>
  %reshape_64 = reshape %8 : tile<64xi32> -> tile<1x64xi32>
  %reshape_65 = reshape %result : tile<i32> -> tile<1x1xi32>
  %bcast = broadcast %reshape_65 : tile<1x1xi32> -> tile<1x64xi32>
  %reshape_66 = reshape %1 : tile<f32> -> tile<1x1xf32>
  %bcast_67 = broadcast %reshape_66 : tile<1x1xf32> -> tile<16x64xf32>
  %cst_f32_68 = constant <f32: 0xFF800000> : tile<f32>
  %reshape_69 = reshape %cst_f32_68 : tile<f32> -> tile<1x1xf32>
  %bcast_70 = broadcast %reshape_69 : tile<1x1xf32> -> tile<16x64xf32>
  %cst_0_i32_71 = constant <i32: 0> : tile<i32>
  %pview_72 = make_partition_view %tview_42 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %for:3 = for %loopIdx in (%cst_0_i32_59 to %7, step %cst_1_i32_60) : tile<i32> iter_values(%iterArg0 = %cst_f32_54, %iterArg1 = %cst_0_f32, %iterArg2 = %cst_0_f32_55) -> (tile<16x1xf32>, tile<16x1xf32>, tile<16x128xf32>) {
    %tile_78, %result_token_79 = load_view_tko weak %pview_62[%blockId_x, %loopIdx, %cst_0_i32_61] token = %0 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xbf16>, token
    %reshape_80 = reshape %tile_78 : tile<1x64x128xbf16> -> tile<64x128xbf16>
    %12 = permute %reshape_80 [1, 0] : tile<64x128xbf16> -> tile<128x64xbf16>
    %13 = mmaf %reshape, %12, %cst_0_f32_63 : tile<16x128xbf16>, tile<128x64xbf16>, tile<16x64xf32>
    %14 = muli %loopIdx, %cst_64_i32 : tile<i32>
    %reshape_81 = reshape %14 : tile<i32> -> tile<1x1xi32>
    %bcast_82 = broadcast %reshape_81 : tile<1x1xi32> -> tile<1x64xi32>
    %15 = addi %bcast_82, %reshape_64 : tile<1x64xi32>
    %16 = cmpi less_than %15, %bcast, signed : tile<1x64xi32> -> tile<1x64xi1>
    %17 = mulf %13, %bcast_67  : tile<16x64xf32>
    %bcast_83 = broadcast %16 : tile<1x64xi1> -> tile<16x64xi1>
    %18 = select %bcast_83, %17, %bcast_70 : tile<16x64xi1>, tile<16x64xf32>
    %reduce = reduce %18 dim=1 identities=[0xFF800000 : f32] : tile<16x64xf32> -> tile<16xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_84 = reshape %reduce : tile<16xf32> -> tile<16x1xf32>
    %19 = maxf %iterArg0, %reshape_84 : tile<16x1xf32>
    %bcast_85 = broadcast %19 : tile<16x1xf32> -> tile<16x64xf32>
    %20 = subf %18, %bcast_85  : tile<16x64xf32>
    %21 = exp2 %20 flush_to_zero : tile<16x64xf32>
    %22 = subf %iterArg0, %19  : tile<16x1xf32>
    %23 = exp2 %22 flush_to_zero : tile<16x1xf32>
    %reduce_86 = reduce %21 dim=1 identities=[0.000000e+00 : f32] : tile<16x64xf32> -> tile<16xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %28 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %28 : tile<f32>
    }
    %reshape_87 = reshape %reduce_86 : tile<16xf32> -> tile<16x1xf32>
    %24 = fma %iterArg1, %23, %reshape_87  : tile<16x1xf32>
    %tile_88, %result_token_89 = load_view_tko weak %pview_72[%blockId_x, %loopIdx, %cst_0_i32_71] token = %0 : partition_view<tile=(1x64x128), padding_value = zero, tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x128xbf16>, token
    %reshape_90 = reshape %tile_88 : tile<1x64x128xbf16> -> tile<64x128xbf16>
    %25 = ftof %21  : tile<16x64xf32> -> tile<16x64xbf16>
    %bcast_91 = broadcast %23 : tile<16x1xf32> -> tile<16x128xf32>
    %26 = mulf %iterArg2, %bcast_91  : tile<16x128xf32>
    %27 = mmaf %25, %reshape_90, %26 : tile<16x64xbf16>, tile<64x128xbf16>, tile<16x128xf32>
    continue %19, %24, %27 : tile<16x1xf32>, tile<16x1xf32>, tile<16x128xf32>
  }
  %bcast_73 = broadcast %for#1 : tile<16x1xf32> -> tile<16x128xf32>
  %9 = divf %for#2, %bcast_73  : tile<16x128xf32>
  %10 = ftof %9  : tile<16x128xf32> -> tile<16x128xbf16>
  %cst_0_i32_74 = constant <i32: 0> : tile<i32>
  %cst_0_i32_75 = constant <i32: 0> : tile<i32>
  %reshape_76 = reshape %10 : tile<16x128xbf16> -> tile<1x16x128xbf16>
  %pview_77 = make_partition_view %tview_52 : partition_view<tile=(1x16x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>
  %11 = store_view_tko weak %reshape_76, %pview_77[%blockId_x, %cst_0_i32_74, %cst_0_i32_75] token = %0 : tile<1x16x128xbf16>, partition_view<tile=(1x16x128), tensor_view<?x?x?xbf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
