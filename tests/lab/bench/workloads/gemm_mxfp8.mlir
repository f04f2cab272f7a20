entry @gemm_mxfp8(%arg0: tile<ptr<f8E4M3FN>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f8E8M0FNU>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<f8E4M3FN>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>, %arg15: tile<ptr<f8E8M0FNU>>, %arg16: tile<i32>, %arg17: tile<i32>, %arg18: tile<i32>, %arg19: tile<i32>, %arg20: tile<ptr<f16>>, %arg21: tile<i32>, %arg22: tile<i32>, %arg23: tile<i32>, %arg24: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f8E4M3FN>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f8E8M0FNU>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<f8E4M3FN>>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<i32>
  %assume_8 = assume div_by<16>, %arg15 : tile<ptr<f8E8M0FNU>>
  %assume_9 = assume div_by<16>, %arg17 : tile<i32>
  %assume_10 = assume div_by<16>, %arg18 : tile<i32>
  %assume_11 = assume div_by<16>, %arg20 : tile<ptr<f16>>
  %assume_12 = assume div_by<16>, %arg22 : tile<i32>
  %assume_13 = assume div_by<16>, %arg23 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %cst_1_i32_15 = constant <i32: 1> : tile<i32>
  %cst_1_i32_16 = constant <i32: 1> : tile<i32>
  %cst_1_i32_17 = constant <i32: 1> : tile<i32>
  %assume_18 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_19 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_20 = assume div_by<16>, %assume_assume_19 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_18, %assume_assume_assume], strides = [%assume_assume_assume_20, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
  %assume_21 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_22 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_assume_23 = assume div_by<16>, %assume_assume_22 : tile<i32>
  %assume_assume_24 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_25 = assume div_by<16>, %assume_assume_24 : tile<i32>
  %tview_26 = make_tensor_view %assume_2, shape = [%assume_21, %assume_assume_assume_23], strides = [%assume_assume_assume_25, 1] : tile<i32> -> tensor_view<?x?xf8E8M0FNU, strides=[?,1]>
  %assume_27 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_assume_28 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_assume_29 = assume div_by<16>, %assume_assume_28 : tile<i32>
  %assume_assume_30 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %assume_assume_assume_31 = assume div_by<16>, %assume_assume_30 : tile<i32>
  %tview_32 = make_tensor_view %assume_5, shape = [%assume_27, %assume_assume_assume_29], strides = [%assume_assume_assume_31, 1] : tile<i32> -> tensor_view<?x?xf8E4M3FN, strides=[?,1]>
  %assume_33 = assume bounded<0, ?>, %arg16 : tile<i32>
  %assume_assume_34 = assume bounded<0, ?>, %assume_9 : tile<i32>
  %assume_assume_assume_35 = assume div_by<16>, %assume_assume_34 : tile<i32>
  %assume_assume_36 = assume bounded<0, ?>, %assume_10 : tile<i32>
  %assume_assume_assume_37 = assume div_by<16>, %assume_assume_36 : tile<i32>
  %tview_38 = make_tensor_view %assume_8, shape = [%assume_33, %assume_assume_assume_35], strides = [%assume_assume_assume_37, 1] : tile<i32> -> tensor_view<?x?xf8E8M0FNU, strides=[?,1]>
  %assume_39 = assume bounded<0, ?>, %arg21 : tile<i32>
  %assume_assume_40 = assume bounded<0, ?>, %assume_12 : tile<i32>
  %assume_assume_assume_41 = assume div_by<16>, %assume_assume_40 : tile<i32>
  %assume_assume_42 = assume bounded<0, ?>, %assume_13 : tile<i32>
  %assume_assume_assume_43 = assume div_by<16>, %assume_assume_42 : tile<i32>
  %tview_44 = make_tensor_view %assume_11, shape = [%assume_39, %assume_assume_assume_41], strides = [%assume_assume_assume_43, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %blockId_x_45, %blockId_y_46, %blockId_z_47 = get_tile_block_id : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<128x128xf32>
  %pview = make_partition_view %tview : partition_view<tile=(128x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(128x128), tensor_view<?x?xf8E4M3FN, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_48 = constant <i32: 1> : tile<i32>
  %pview_49 = make_partition_view %tview : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
  %pview_50 = make_partition_view %tview_32 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>
  %pview_51 = make_partition_view %tview_26 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>
  %pview_52 = make_partition_view %tview_38 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>
  %for = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_48) : tile<i32> iter_values(%iterArg0 = %cst_0_f32) -> (tile<128x128xf32>) {
    %tile, %result_token = load_view_tko weak %pview_49[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<128x128xf8E4M3FN>, token
    %tile_54, %result_token_55 = load_view_tko weak %pview_50[%blockId_y_46, %loopIdx] token = %0 : partition_view<tile=(128x128), padding_value = zero, tensor_view<?x?xf8E4M3FN, strides=[?,1]>>, tile<i32> -> tile<128x128xf8E4M3FN>, token
    %4 = permute %tile_54 [1, 0] : tile<128x128xf8E4M3FN> -> tile<128x128xf8E4M3FN>
    %tile_56, %result_token_57 = load_view_tko weak %pview_51[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>, tile<i32> -> tile<128x4xf8E8M0FNU>, token
    %tile_58, %result_token_59 = load_view_tko weak %pview_52[%blockId_y_46, %loopIdx] token = %0 : partition_view<tile=(128x4), padding_value = zero, tensor_view<?x?xf8E8M0FNU, strides=[?,1]>>, tile<i32> -> tile<128x4xf8E8M0FNU>, token
    %5 = permute %tile_58 [1, 0] : tile<128x4xf8E8M0FNU> -> tile<4x128xf8E8M0FNU>
    %6 = mmaf_scaled %tile, %4, %iterArg0, %tile_56, %5 : tile<128x128xf8E4M3FN>, tile<128x128xf8E4M3FN>, tile<128x128xf32>, tile<128x4xf8E8M0FNU>, tile<4x128xf8E8M0FNU>
    continue %6 : tile<128x128xf32>
  }
  %2 = ftof %for  : tile<128x128xf32> -> tile<128x128xf16>
  %pview_53 = make_partition_view %tview_44 : partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>
  %3 = store_view_tko weak %2, %pview_53[%blockId_x, %blockId_y_46] token = %0 : tile<128x128xf16>, partition_view<tile=(128x128), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
  return
}
