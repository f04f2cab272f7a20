entry @cross_entropy(%arg0: tile<ptr<bf16>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<i32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<ptr<f32>>, %arg9: tile<i32>, %arg10: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<bf16>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<i32>>
  %assume_3 = assume div_by<16>, %arg8 : tile<ptr<f32>>
  %assume_4 = assume div_by<16>, %arg9 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i32_5 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<i64>
  %cst_1_i64_6 = constant <i64: 1> : tile<i64>
  %assume_7 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_8 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_9 = assume div_by<16>, %assume_assume_8 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_7, %assume_assume_assume], strides = [%assume_assume_assume_9, 1] : tile<i32> -> tensor_view<?x?xbf16, strides=[?,1]>
  %assume_10 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_11 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_assume_assume_12 = assume div_by<16>, %assume_assume_11 : tile<i32>
  %tview_13 = make_tensor_view %assume_3, shape = [%assume_assume_assume_12], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<1x1xf32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1x1xf32>
  %pview = make_partition_view %tview : partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>>
  %1:2 = get_index_space_shape %pview : partition_view<tile=(1x4096), tensor_view<?x?xbf16, strides=[?,1]>> -> tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_1_i32_14 = constant <i32: 1> : tile<i32>
  %pview_15 = make_partition_view %tview : partition_view<tile=(1x4096), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>
  %for:2 = for %loopIdx in (%cst_0_i32 to %1#1, step %cst_1_i32_14) : tile<i32> iter_values(%iterArg0 = %cst_f32, %iterArg1 = %cst_0_f32) -> (tile<1x1xf32>, tile<1x1xf32>) {
    %tile, %result_token_23 = load_view_tko weak %pview_15[%blockId_x, %loopIdx] token = %0 : partition_view<tile=(1x4096), padding_value = neg_inf, tensor_view<?x?xbf16, strides=[?,1]>>, tile<i32> -> tile<1x4096xbf16>, token
    %24 = ftof %tile  : tile<1x4096xbf16> -> tile<1x4096xf32>
    %reduce = reduce %24 dim=1 identities=[0xFF800000 : f32] : tile<1x4096xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %31 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %31 : tile<f32>
    }
    %reshape_24 = reshape %reduce : tile<1xf32> -> tile<1x1xf32>
    %25 = maxf %iterArg0, %reshape_24 : tile<1x1xf32>
    %26 = subf %iterArg0, %25  : tile<1x1xf32>
    %27 = exp %26  : tile<1x1xf32>
    %bcast = broadcast %25 : tile<1x1xf32> -> tile<1x4096xf32>
    %28 = subf %24, %bcast  : tile<1x4096xf32>
    %29 = exp %28  : tile<1x4096xf32>
    %reduce_25 = reduce %29 dim=1 identities=[0.000000e+00 : f32] : tile<1x4096xf32> -> tile<1xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %31 = addf %reduce_lhs, %reduce_rhs  : tile<f32>
      yield %31 : tile<f32>
    }
    %reshape_26 = reshape %reduce_25 : tile<1xf32> -> tile<1x1xf32>
    %30 = fma %iterArg1, %27, %reshape_26  : tile<1x1xf32>
    continue %25, %30 : tile<1x1xf32>, tile<1x1xf32>
  }
  %cst_0_i32_16 = constant <i32: 0> : tile<i32>
  %2 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %3 = exti %assume_10 signed : tile<i32> -> tile<i64>
  %4 = cmpi less_than %2, %3, unsigned : tile<i64> -> tile<i1>
  %5 = muli %2, %cst_1_i64 : tile<i64>
  %6 = offset %assume_2, %5 : tile<ptr<i32>>, tile<i64> -> tile<ptr<i32>>
  %assume_17 = assume div_by<4>, %6 : tile<ptr<i32>>
  %result, %result_token = load_ptr_tko weak %assume_17, %4, %cst_0_i32_16 token=%0 : tile<ptr<i32>>, tile<i1>, tile<i32> -> tile<i32>, token
  %7 = exti %blockId_x signed : tile<i32> -> tile<i64>
  %8 = exti %assume_7 signed : tile<i32> -> tile<i64>
  %9 = cmpi less_than %7, %8, unsigned : tile<i64> -> tile<i1>
  %10 = exti %assume_assume_assume_9 signed : tile<i32> -> tile<i64>
  %11 = muli %7, %10 : tile<i64>
  %12 = exti %result signed : tile<i32> -> tile<i64>
  %13 = exti %assume_assume_assume signed : tile<i32> -> tile<i64>
  %14 = cmpi less_than %12, %13, unsigned : tile<i64> -> tile<i1>
  %15 = andi %9, %14 : tile<i1>
  %16 = muli %12, %cst_1_i64_6 : tile<i64>
  %17 = addi %11, %16 : tile<i64>
  %18 = offset %assume, %17 : tile<ptr<bf16>>, tile<i64> -> tile<ptr<bf16>>
  %assume_18 = assume div_by<2>, %18 : tile<ptr<bf16>>
  %cst_0_bf16 = constant <bf16: 0.000000e+00> : tile<bf16>
  %result_19, %result_token_20 = load_ptr_tko weak %assume_18, %15, %cst_0_bf16 token=%0 : tile<ptr<bf16>>, tile<i1>, tile<bf16> -> tile<bf16>, token
  %19 = ftof %result_19  : tile<bf16> -> tile<f32>
  %20 = log %for#1 : tile<1x1xf32>
  %21 = addf %20, %for#0  : tile<1x1xf32>
  %reshape = reshape %19 : tile<f32> -> tile<1x1xf32>
  %22 = subf %21, %reshape  : tile<1x1xf32>
  %reshape_21 = reshape %22 : tile<1x1xf32> -> tile<1xf32>
  %pview_22 = make_partition_view %tview_13 : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %23 = store_view_tko weak %reshape_21, %pview_22[%blockId_x] token = %0 : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
