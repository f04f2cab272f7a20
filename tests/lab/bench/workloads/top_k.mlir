entry @top_k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<i32>, %arg5: tile<ptr<f32>>, %arg6: tile<i32>, %arg7: tile<i32>, %arg8: tile<i32>, %arg9: tile<i32>, %arg10: tile<ptr<i32>>, %arg11: tile<i32>, %arg12: tile<i32>, %arg13: tile<i32>, %arg14: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume div_by<16>, %arg2 : tile<i32>
  %assume_1 = assume div_by<16>, %arg3 : tile<i32>
  %assume_2 = assume div_by<16>, %arg5 : tile<ptr<f32>>
  %assume_3 = assume div_by<16>, %arg7 : tile<i32>
  %assume_4 = assume div_by<16>, %arg8 : tile<i32>
  %assume_5 = assume div_by<16>, %arg10 : tile<ptr<i32>>
  %assume_6 = assume div_by<16>, %arg12 : tile<i32>
  %assume_7 = assume div_by<16>, %arg13 : tile<i32>
  %cst_1_i32 = constant <i32: 1> : tile<i32>
  %cst_1_i64 = constant <i64: 1> : tile<16xi64>
  %cst_1_i64_8 = constant <i64: 1> : tile<16xi64>
  %assume_9 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_assume = assume bounded<0, ?>, %assume_0 : tile<i32>
  %assume_assume_assume = assume div_by<16>, %assume_assume : tile<i32>
  %assume_assume_10 = assume bounded<0, ?>, %assume_1 : tile<i32>
  %assume_assume_assume_11 = assume div_by<16>, %assume_assume_10 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_9, %assume_assume_assume], strides = [%assume_assume_assume_11, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %assume_12 = assume bounded<0, ?>, %arg6 : tile<i32>
  %assume_assume_13 = assume bounded<0, ?>, %assume_3 : tile<i32>
  %assume_assume_14 = assume bounded<0, ?>, %assume_4 : tile<i32>
  %assume_15 = assume bounded<0, ?>, %arg11 : tile<i32>
  %assume_assume_16 = assume bounded<0, ?>, %assume_6 : tile<i32>
  %assume_assume_17 = assume bounded<0, ?>, %assume_7 : tile<i32>
  %cst_8_i32 = constant <i32: 8> : tile<i32>
  %cst_16_i32 = constant <i32: 16> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(16x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>
  %tile, %result_token = load_view_tko weak %pview[%blockId_x, %cst_0_i32] token = %0 : partition_view<tile=(16x128), padding_value = neg_inf, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<16x128xf32>, token
  %1 = muli %blockId_x, %cst_16_i32 : tile<i32>
  %2 = iota : tile<16xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<16xi32>
  %3 = addi %bcast, %2 : tile<16xi32>
  %4 = iota : tile<128xi32>
  %reshape_18 = reshape %4 : tile<128xi32> -> tile<1x128xi32>
  %cst_0_i32_19 = constant <i32: 0> : tile<i32>
  %cst_1_i32_20 = constant <i32: 1> : tile<i32>
  %5 = iota : tile<128xi32>
  %reshape_21 = reshape %5 : tile<128xi32> -> tile<1x128xi32>
  %bcast_22 = broadcast %reshape_21 : tile<1x128xi32> -> tile<16x128xi32>
  %6 = exti %3 signed : tile<16xi32> -> tile<16xi64>
  %7 = exti %assume_12 signed : tile<i32> -> tile<i64>
  %reshape_23 = reshape %7 : tile<i64> -> tile<1xi64>
  %bcast_24 = broadcast %reshape_23 : tile<1xi64> -> tile<16xi64>
  %8 = cmpi less_than %6, %bcast_24, unsigned : tile<16xi64> -> tile<16xi1>
  %9 = exti %assume_assume_14 signed : tile<i32> -> tile<i64>
  %reshape_25 = reshape %9 : tile<i64> -> tile<1xi64>
  %bcast_26 = broadcast %reshape_25 : tile<1xi64> -> tile<16xi64>
  %10 = muli %6, %bcast_26 : tile<16xi64>
  %11 = exti %assume_assume_13 signed : tile<i32> -> tile<i64>
  %reshape_27 = reshape %11 : tile<i64> -> tile<1xi64>
  %bcast_28 = broadcast %reshape_27 : tile<1xi64> -> tile<16xi64>
  %reshape_29 = reshape %assume_2 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast_30 = broadcast %reshape_29 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %12 = exti %3 signed : tile<16xi32> -> tile<16xi64>
  %13 = exti %assume_15 signed : tile<i32> -> tile<i64>
  %reshape_31 = reshape %13 : tile<i64> -> tile<1xi64>
  %bcast_32 = broadcast %reshape_31 : tile<1xi64> -> tile<16xi64>
  %14 = cmpi less_than %12, %bcast_32, unsigned : tile<16xi64> -> tile<16xi1>
  %15 = exti %assume_assume_17 signed : tile<i32> -> tile<i64>
  %reshape_33 = reshape %15 : tile<i64> -> tile<1xi64>
  %bcast_34 = broadcast %reshape_33 : tile<1xi64> -> tile<16xi64>
  %16 = muli %12, %bcast_34 : tile<16xi64>
  %17 = exti %assume_assume_16 signed : tile<i32> -> tile<i64>
  %reshape_35 = reshape %17 : tile<i64> -> tile<1xi64>
  %bcast_36 = broadcast %reshape_35 : tile<1xi64> -> tile<16xi64>
  %reshape_37 = reshape %assume_5 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_38 = broadcast %reshape_37 : tile<1xptr<i32>> -> tile<16xptr<i32>>
  %bcast_39 = broadcast %reshape_18 : tile<1x128xi32> -> tile<16x128xi32>
  %cst_f32 = constant <f32: 0xFF800000> : tile<f32>
  %reshape_40 = reshape %cst_f32 : tile<f32> -> tile<1x1xf32>
  %bcast_41 = broadcast %reshape_40 : tile<1x1xf32> -> tile<16x128xf32>
  %for:3 = for %loopIdx in (%cst_0_i32_19 to %cst_8_i32, step %cst_1_i32_20) : tile<i32> iter_values(%iterArg0 = %tile, %iterArg1 = %0, %iterArg2 = %0) -> (tile<16x128xf32>, token, token) {
    %reduce:2 = reduce %iterArg0, %bcast_22 dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<16x128xf32>, tile<16x128xi32> -> tile<16xf32>, tile<16xi32> 
    (%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: tile<i32>) {
      %34 = cmpf greater_than ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %35 = cmpf equal ordered %reduce_lhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %36 = cmpf not_equal unordered %reduce_lhs0, %reduce_lhs0 : tile<f32> -> tile<i1>
      %37 = cmpf not_equal unordered %reduce_rhs0, %reduce_rhs0 : tile<f32> -> tile<i1>
      %38 = cmpf equal ordered %reduce_lhs0, %reduce_lhs0 : tile<f32> -> tile<i1>
      %39 = andi %38, %37 : tile<i1>
      %40 = ori %34, %39 : tile<i1>
      %41 = andi %36, %37 : tile<i1>
      %42 = ori %35, %41 : tile<i1>
      %43 = cmpi less_than %reduce_lhs1, %reduce_rhs1, signed : tile<i32> -> tile<i1>
      %44 = andi %42, %43 : tile<i1>
      %45 = ori %40, %44 : tile<i1>
      %46 = select %45, %reduce_lhs0, %reduce_rhs0 : tile<i1>, tile<f32>
      %47 = select %45, %reduce_lhs1, %reduce_rhs1 : tile<i1>, tile<i32>
      yield %46, %47 : tile<f32>, tile<i32>
    }
    %reduce_42 = reduce %iterArg0 dim=1 identities=[0xFF800000 : f32] : tile<16x128xf32> -> tile<16xf32> 
    (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
      %34 = maxf %reduce_lhs, %reduce_rhs : tile<f32>
      yield %34 : tile<f32>
    }
    %18 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %reshape_43 = reshape %18 : tile<i64> -> tile<1xi64>
    %bcast_44 = broadcast %reshape_43 : tile<1xi64> -> tile<16xi64>
    %19 = cmpi less_than %bcast_44, %bcast_28, unsigned : tile<16xi64> -> tile<16xi1>
    %20 = andi %8, %19 : tile<16xi1>
    %21 = muli %bcast_44, %cst_1_i64 : tile<16xi64>
    %22 = addi %10, %21 : tile<16xi64>
    %23 = offset %bcast_30, %22 : tile<16xptr<f32>>, tile<16xi64> -> tile<16xptr<f32>>
    %24 = store_ptr_tko weak %23, %reduce_42, %20 token=%iterArg1 : tile<16xptr<f32>>, tile<16xf32>, tile<16xi1> -> token
    %25 = exti %loopIdx signed : tile<i32> -> tile<i64>
    %reshape_45 = reshape %25 : tile<i64> -> tile<1xi64>
    %bcast_46 = broadcast %reshape_45 : tile<1xi64> -> tile<16xi64>
    %26 = cmpi less_than %bcast_46, %bcast_36, unsigned : tile<16xi64> -> tile<16xi1>
    %27 = andi %14, %26 : tile<16xi1>
    %28 = muli %bcast_46, %cst_1_i64_8 : tile<16xi64>
    %29 = addi %16, %28 : tile<16xi64>
    %30 = offset %bcast_38, %29 : tile<16xptr<i32>>, tile<16xi64> -> tile<16xptr<i32>>
    %31 = store_ptr_tko weak %30, %reduce#1, %27 token=%iterArg2 : tile<16xptr<i32>>, tile<16xi32>, tile<16xi1> -> token
    %reshape_47 = reshape %reduce#1 : tile<16xi32> -> tile<16x1xi32>
    %bcast_48 = broadcast %reshape_47 : tile<16x1xi32> -> tile<16x128xi32>
    %32 = cmpi equal %bcast_39, %bcast_48, signed : tile<16x128xi32> -> tile<16x128xi1>
    %33 = select %32, %bcast_41, %iterArg0 : tile<16x128xi1>, tile<16x128xf32>
    continue %33, %24, %31 : tile<16x128xf32>, token, token
  }
  return
}
