preview$extern_impl @bare implements @scale (%arg0: preview$fragment<8xf32, local, mem_layout = <(8):(1)>, fragmap = <(1, 128, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<inout>>}) loc(#loc)
preview$extern_impl @full<[A: index, ?]> implements @scale<[3, (A,)]> (%arg0: preview$fragment<8xf32, local, mem_layout = <(8):(1)>, fragmap = <(1, 128, 8):(0, 0, 1)>> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}, %arg1: preview$fragment<8xf32, smem, mem_layout = <(8):(1)>, fragmap = <(1, (128,), 8):(0, (0,), 1)>, alignment = 16> {cuda_tile.preview$access = #cuda_tile<preview$access<in>>}) synchronization = #cuda_tile<preview$synchronization<warpgroup>> arch = ["sm_90", "sm_100"] scratch {smem.size = #cuda_tile<preview$expr_int<64>>, smem.alignment = #cuda_tile<preview$expr_mul<#cuda_tile<preview$expr_int<16>>, #cuda_tile<preview$expr_var<"A">>>>} {frontendABI = {x = true}} loc(#loc)
entry @k() {
  return loc(#loc)
} loc(#loc)
#loc = loc(unknown)
