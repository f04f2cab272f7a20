entry @histogram(%arg0: tile<ptr<i32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<ptr<i32>>, %arg4: tile<i32>, %arg5: tile<i32>) optimization_hints=<default = {}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<i32>>
  %assume_0 = assume div_by<16>, %arg3 : tile<ptr<i32>>
  %cst_1_i64 = constant <i64: 1> : tile<1024xi64>
  %cst_-1_i32 = constant <i32: -1> : tile<1024xi32>
  %cst_1_i64_1 = constant <i64: 1> : tile<1024xi64>
  %cst_1_i32 = constant <i32: 1> : tile<1024xi32>
  %assume_2 = assume bounded<0, ?>, %arg1 : tile<i32>
  %assume_3 = assume bounded<0, ?>, %arg4 : tile<i32>
  %cst_1024_i32 = constant <i32: 1024> : tile<i32>
  %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
  %1 = muli %blockId_x, %cst_1024_i32 : tile<i32>
  %2 = iota : tile<1024xi32>
  %reshape = reshape %1 : tile<i32> -> tile<1xi32>
  %bcast = broadcast %reshape : tile<1xi32> -> tile<1024xi32>
  %3 = addi %bcast, %2 : tile<1024xi32>
  %4 = exti %3 signed : tile<1024xi32> -> tile<1024xi64>
  %5 = exti %assume_2 signed : tile<i32> -> tile<i64>
  %reshape_4 = reshape %5 : tile<i64> -> tile<1xi64>
  %bcast_5 = broadcast %reshape_4 : tile<1xi64> -> tile<1024xi64>
  %6 = cmpi less_than %4, %bcast_5, unsigned : tile<1024xi64> -> tile<1024xi1>
  %7 = muli %4, %cst_1_i64 : tile<1024xi64>
  %reshape_6 = reshape %assume : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_7 = broadcast %reshape_6 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %8 = offset %bcast_7, %7 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
  %result, %result_token = load_ptr_tko weak %8, %6, %cst_-1_i32 token=%0 : tile<1024xptr<i32>>, tile<1024xi1>, tile<1024xi32> -> tile<1024xi32>, token
  %9 = exti %result signed : tile<1024xi32> -> tile<1024xi64>
  %10 = exti %assume_3 signed : tile<i32> -> tile<i64>
  %reshape_8 = reshape %10 : tile<i64> -> tile<1xi64>
  %bcast_9 = broadcast %reshape_8 : tile<1xi64> -> tile<1024xi64>
  %11 = cmpi less_than %9, %bcast_9, unsigned : tile<1024xi64> -> tile<1024xi1>
  %12 = muli %9, %cst_1_i64_1 : tile<1024xi64>
  %reshape_10 = reshape %assume_0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bcast_11 = broadcast %reshape_10 : tile<1xptr<i32>> -> tile<1024xptr<i32>>
  %13 = offset %bcast_11, %12 : tile<1024xptr<i32>>, tile<1024xi64> -> tile<1024xptr<i32>>
  %result_12, %result_token_13 = atomic_rmw_tko relaxed device %13, add, %cst_1_i32, %11 token=%0 : tile<1024xptr<i32>>, tile<1024xi32>, tile<1024xi1> -> tile<1024xi32>, token
  return
}
