entry @fmha_backward(%arg0: tile<ptr<f16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<i32>, %arg6: tile<i32>, %arg7: tile<ptr<f16>>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<i32>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<ptr<f16>>, %arg15: tile<i32>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<i32>, %arg21: tile<ptr<f16>>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>, %arg25: tile<i32>, %arg26: tile<i32>, %arg27: tile<i32>, %arg28: tile<ptr<f32>>, %arg29: tile<i32>, %arg30: tile<i32>, %arg31: tile<i32>, %arg32: tile<i32>, %arg33: tile<ptr<f32>>, %arg34: tile<i32>, %arg35: tile<i32>, %arg36: tile<i32>, %arg37: tile<i32>, %arg38: tile<ptr<f16>>, %arg39: tile<i32>, %arg40: tile<i32>, %arg41: tile<i32>, %arg42: tile<i32>, %arg43: tile<i32>, %arg44: tile<i32>, %arg45: tile<ptr<f16>>, %arg46: tile<i32>, %arg47: tile<i32>, %arg48: tile<i32>, %arg49: tile<i32>, %arg50: tile<i32>, %arg51: tile<i32>, %arg52: tile<f32>) optimization_hints=<default = {}> {
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
  %assume_15 = assume div_by<16>, %arg28 : tile<ptr<f32>>
  %assume_16 = assume div_by<16>, %arg30 : tile<i32>
  %assume_17 = assume div_by<16>, %arg31 : tile<i32>
  %assume_18 = assume div_by<16>, %arg33 : tile<ptr<f32>>
  %assume_19 = assume div_by<16>, %arg35 : tile<i32>
  %assume_20 = assume div_by<16>, %arg36 : tile<i32>
  %assume_21 = assume div_by<16>, %arg38 : tile<ptr<f16>>
  %assume_22 = assume div_by<16>, %arg41 : tile<i32>
  %assume_23 = assume div_by<16>, %arg42 : tile<i32>
  %assume_24 = assume div_by<16>, %arg43 : tile<i32>
  %assume_25 = assume div_by<16>, %arg45 : tile<ptr<f16>>
  %assume_26 = assume div_by<16>, %arg48 : tile<i32>
  %assume_27 = assume div_by<16>, %arg49 : tile<i32>
  %assume_28 = assume div_by<16>, %arg50 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_29 = constant <i32: 1> : tile<i32>
  %cst_1_i32_30 = constant <i32: 1> : tile<i32>
  %cst_1_i32_31 = constant <i32: 1> : tile<i32>
  %cst_1_i32_32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_33 = constant <i32: 1> : tile<i32>
  %cst_1_i32_34 = constant <i32: 1> : tile<i32>
  %cst_1_i32_35 = constant <i32: 1> : tile<i32>
  %assume_36 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_37 = assume bounded<0, ?>, %arg2 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_38 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_39 = assume div_by<16>, %assume_assume_38 : tile<i32>
  %assume_assume_40 = assume bounded<0, ?>, %assume_2 : tile<i32>
  %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_36, %assume_37, %assume_assume_assume], strides = [%assume_assume_assume_39, %assume_assume_assume_41, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_42 = assume bounded<0, ?>, %arg8 : tile<i32>
  %assume_43 = assume bounded<0, ?>, %arg9 : tile<i32>
  %assume_assume_44 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_45 = assume div_by<16>, %assume_assume_44 : tile<i32>
  %assume_assume_46 = assume bounded<0, ?>, %assume_5 : tile<i32>
  %assume_assume_assume_47 = assume div_by<16>, %assume_assume_46 : tile<i32>
  %assume_assume_48 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_49 = assume div_by<16>, %assume_assume_48 : tile<i32>
  %tview_50 = make_tensor_view %assume_3, shape = [%assume_42, %assume_43, %assume_assume_assume_45], strides = [%assume_assume_assume_47, %assume_assume_assume_49, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_51 = assume bounded<0, ?>, %arg15 : tile<i32>
  %assume_52 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_assume_53 = assume bounded<0, ?>, %assume_8 : tile<i32>
  %assume_assume_assume_54 = assume div_by<16>, %assume_assume_53 : tile<i32>
  %assume_assume_55 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_56 = assume div_by<16>, %assume_assume_55 : tile<i32>
  %assume_assume_57 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_58 = assume div_by<16>, %assume_assume_57 : tile<i32>
  %tview_59 = make_tensor_view %assume_7, shape = [%assume_51, %assume_52, %assume_assume_assume_54], strides = [%assume_assume_assume_56, %assume_assume_assume_58, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_60 = assume bounded<0, ?>, %arg22 : tile<i32>
  %assume_61 = assume bounded<0, ?>, %arg23 : tile<i32>
  %assume_assume_62 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_63 = assume div_by<16>, %assume_assume_62 : tile<i32>
  %assume_assume_64 = assume bounded<0, ?>, %assume_13 : tile<i32>
  %assume_assume_assume_65 = assume div_by<16>, %assume_assume_64 : tile<i32>
  %assume_assume_66 = assume bounded<0, ?>, %assume_14 : tile<i32>
  %assume_assume_assume_67 = assume div_by<16>, %assume_assume_66 : tile<i32>
  %tview_68 = make_tensor_view %assume_11, shape = [%assume_60, %assume_61, %assume_assume_assume_63], strides = [%assume_assume_assume_65, %assume_assume_assume_67, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_69 = assume bounded<0, ?>, %arg29 : tile<i32>
  %assume_assume_70 = assume bounded<0, ?>, %assume_16 : tile<i32>
  %assume_assume_assume_71 = assume div_by<16>, %assume_assume_70 : tile<i32>
  %assume_assume_72 = assume bounded<0, ?>, %assume_17 : tile<i32>
  %assume_assume_assume_73 = assume div_by<16>, %assume_assume_72 : tile<i32>
  %tview_74 = make_tensor_view %assume_15, shape = [%assume_69, %assume_assume_assume_71], strides = [%assume_assume_assume_73, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_75 = assume bounded<0, ?>, %arg34 : tile<i32>
  %assume_assume_76 = assume bounded<0, ?>, %assume_19 : tile<i32>
  %assume_assume_assume_77 = assume div_by<16>, %assume_assume_76 : tile<i32>
  %assume_assume_78 = assume bounded<0, ?>, %assume_20 : tile<i32>
  %assume_assume_assume_79 = assume div_by<16>, %assume_assume_78 : tile<i32>
  %tview_80 = make_tensor_view %assume_18, shape = [%assume_75, %assume_assume_assume_77], strides = [%assume_assume_assume_79, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_81 = assume bounded<0, ?>, %arg39 : tile<i32>
  %assume_82 = assume bounded<0, ?>, %arg40 : tile<i32>
  %assume_assume_83 = assume bounded<0, ?>, %assume_22 : tile<i32>
  %assume_assume_assume_84 = assume div_by<16>, %assume_assume_83 : tile<i32>
  %assume_assume_85 = assume bounded<0, ?>, %assume_23 : tile<i32>
  %assume_assume_assume_86 = assume div_by<16>, %assume_assume_85 : tile<i32>
  %assume_assume_87 = assume bounded<0, ?>, %assume_24 : tile<i32>
  %assume_assume_assume_88 = assume div_by<16>, %assume_assume_87 : tile<i32>
  %tview_89 = make_tensor_view %assume_21, shape = [%assume_81, %assume_82, %assume_assume_assume_84], strides = [%assume_assume_assume_86, %assume_assume_assume_88, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %assume_90 = assume bounded<0, ?>, %arg46 : tile<i32>
  %assume_91 = assume bounded<0, ?>, %arg47 : tile<i32>
  %assume_assume_92 = assume bounded<0, ?>, %assume_26 : tile<i32>
  %assume_assume_assume_93 = assume div_by<16>, %assume_assume_92 : tile<i32>
  %assume_assume_94 = assume bounded<0, ?>, %assume_27 : tile<i32>
  %assume_assume_assume_95 = assume div_by<16>, %assume_assume_94 : tile<i32>
  %assume_assume_96 = assume bounded<0, ?>, %assume_28 : tile<i32>
  %assume_assume_assume_97 = assume div_by<16>, %assume_assume_96 : tile<i32>
  %tview_98 = make_tensor_view %assume_25, shape = [%assume_90, %assume_91, %assume_assume_assume_93], strides = [%assume_assume_assume_95, %assume_assume_assume_97, 1] : tile<i32> -> tensor_view<?x?x?xf16, strides=[?,?,1]>
  %cst_64_i32 = constant <i32: 64> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_99, %blockId_y_100, %blockId_z_101 = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview_50 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_y_100, %blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
  %reshape = reshape %tile : tile<1x64x64xf16> -> tile<64x64xf16>
  %cst_0_i32_102 = constant <i32: 0> : tile<i32>
  %pview_103 = make_partition_view %tview_59 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %tile_104, %result_token_105 = load_view_tko weak %pview_103[%blockId_y_100, %blockId_x, %cst_0_i32_102] token = %0 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
  %reshape_106 = reshape %tile_104 : tile<1x64x64xf16> -> tile<64x64xf16>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %cst_0_f32_107 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %1 = divi %assume_37, %cst_64_i32 signed rounding<positive_inf> : tile<i32>
  %cst_0_i32_108 = constant <i32: 0> : tile<i32>
  %cst_1_i32_109 = constant <i32: 1> : tile<i32>
  %cst_0_i32_110 = constant <i32: 0> : tile<i32>
  %pview_111 = make_partition_view %tview : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %cst_0_i32_112 = constant <i32: 0> : tile<i32>
  %pview_113 = make_partition_view %tview_68 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %pview_114 = make_partition_view %tview_74 : partition_view<tile=(1x64), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %pview_115 = make_partition_view %tview_80 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %cst_0_f32_116 = constant <f32: 0.000000e+00> : tile<64x64xf32>
  %cst_f32 = constant <f32: 1.44269502> : tile<f32>
  %2 = mulf %arg52, %cst_f32  : tile<f32>
  %reshape_117 = reshape %2 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape_117 : tile<1x1xf32> -> tile<64x64xf32>
  %reshape_118 = reshape %arg52 : tile<f32> -> tile<1x1xf32>
  %bcast_119 = broadcast %reshape_118 : tile<1x1xf32> -> tile<64x64xf32>
  %for:2 = for %loopIdx in (%cst_0_i32_108 to %1, step %cst_1_i32_109) : tile<i32> iter_values(%iterArg0 = %cst_0_f32, %iterArg1 = %cst_0_f32_107) -> (tile<64x64xf32>, tile<64x64xf32>) {
    %tile_126, %result_token_127 = load_view_tko weak %pview_111[%blockId_y_100, %loopIdx, %cst_0_i32_110] token = %0 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
    %reshape_128 = reshape %tile_126 : tile<1x64x64xf16> -> tile<64x64xf16>
    %tile_129, %result_token_130 = load_view_tko weak %pview_113[%blockId_y_100, %loopIdx, %cst_0_i32_112] token = %0 : partition_view<tile=(1x64x64), padding_value = zero, tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> tile<1x64x64xf16>, token
    %reshape_131 = reshape %tile_129 : tile<1x64x64xf16> -> tile<64x64xf16>
    %tile_132, %result_token_133 = load_view_tko weak %pview_114[%blockId_y_100, %loopIdx] token = %0 : partition_view<tile=(1x64), padding_value = pos_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %tile_134, %result_token_135 = load_view_tko weak %pview_115[%blockId_y_100, %loopIdx] token = %0 : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
    %7 = permute %reshape_128 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %8 = mmaf %reshape, %7, %cst_0_f32_116 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %bcast_136 = broadcast %tile_132 : tile<1x64xf32> -> tile<64x64xf32>
    %9 = negf %bcast_136 : tile<64x64xf32>
    %10 = fma %8, %bcast, %9  : tile<64x64xf32>
    %11 = exp2 %10 flush_to_zero : tile<64x64xf32>
    %12 = ftof %11  : tile<64x64xf32> -> tile<64x64xf16>
    %13 = mmaf %12, %reshape_131, %iterArg1 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %14 = permute %reshape_131 [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %15 = mmaf %reshape_106, %14, %cst_0_f32_116 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %bcast_137 = broadcast %tile_134 : tile<1x64xf32> -> tile<64x64xf32>
    %16 = subf %15, %bcast_137  : tile<64x64xf32>
    %17 = mulf %11, %16  : tile<64x64xf32>
    %18 = mulf %17, %bcast_119  : tile<64x64xf32>
    %19 = ftof %18  : tile<64x64xf32> -> tile<64x64xf16>
    %20 = mmaf %19, %reshape_128, %iterArg0 : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    continue %20, %13 : tile<64x64xf32>, tile<64x64xf32>
  }
  %cst_0_i32_120 = constant <i32: 0> : tile<i32>
  %3 = ftof %for#0  : tile<64x64xf32> -> tile<64x64xf16>
  %reshape_121 = reshape %3 : tile<64x64xf16> -> tile<1x64x64xf16>
  %pview_122 = make_partition_view %tview_89 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %4 = store_view_tko weak %reshape_121, %pview_122[%blockId_y_100, %blockId_x, %cst_0_i32_120] token = %0 : tile<1x64x64xf16>, partition_view<tile=(1x64x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  %cst_0_i32_123 = constant <i32: 0> : tile<i32>
  %5 = ftof %for#1  : tile<64x64xf32> -> tile<64x64xf16>
  %reshape_124 = reshape %5 : tile<64x64xf16> -> tile<1x64x64xf16>
  %pview_125 = make_partition_view %tview_98 : partition_view<tile=(1x64x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>
  %6 = store_view_tko weak %reshape_124, %pview_125[%blockId_y_100, %blockId_x, %cst_0_i32_123] token = %0 : tile<1x64x64xf16>, partition_view<tile=(1x64x64), tensor_view<?x?x?xf16, strides=[?,?,1]>>, tile<i32> -> token
  return
}
