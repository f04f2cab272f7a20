module attributes { nv_tileaa.compute_capability = 90 : i32, tt.num_warps = 4 : i32 } {
  cuda_tile.module {
    cuda_tile.entry @noop() {
      cuda_tile.return
    }
  }
}
