entry @k() {
  return loc(#loc)
} loc(#loc)
preview$func extern @gather<[N: index, M: index, E: !cuda_tile<preview$Datatype>]>(%arg0: tile<[N]x8xf32> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg1: tile<[(N+2)*(M--N)]x4xpreview$sym_t<E>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg2: tile<8xpreview$sym_t<E>> {cuda_tile.preview$access = #cuda_tile<preview$access<out>>}) -> (tile<8xpreview$sym_t<E>>, tile<[-(N+-2)]xf32>)  loc(#loc)
#loc = loc(unknown)
