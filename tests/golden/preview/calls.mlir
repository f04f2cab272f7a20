preview$func extern @scale<[A: index, B: !cuda_tile<preview$shape>, C: !cuda_tile<preview$Datatype>, D: !cuda_tile<preview$string>]>(%arg0: tile<8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) -> tile<8xf32> 
preview$func extern @send(%arg0: tile<8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) 
preview$func extern @split(%arg0: tile<8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg1: tile<8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}) -> (tile<8xf32>, tile<8xf32>) 
entry @k() {
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<8xf32>
  %0 = preview$call @scale<[4, (3,), f32, "a"]>(%cst_1_f32) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  preview$call @send(%cst_1_f32) : (!cuda_tile.tile<8xf32>) -> ()
  %1:2 = preview$call @split(%cst_1_f32, %cst_1_f32) {arg_attrs = [{my.hint = true}, {my.hint = true}], res_attrs = [{my.hint = true}, {my.hint = true}]} : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)
  return
}
