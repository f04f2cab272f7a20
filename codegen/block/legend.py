"""What has to be known to read layouts and block IR, in a few lines above their text."""

LAYOUTS = """\
// How to read #l0 = layout<64x32: register (0,1) (8,0) ..., lane (0,2) (0,4) (1,0) ..., warp (16,0)
// (32,0)>: it says which thread of the block holds which elements of a tile of 64x32. Every bit of
// the number of a register, lane or warp has a base, a distance in the tile; a register has the
// element at the sum of the bases of the bits that are set: register 2 of lane 4 of warp 1 that at
// (8,0) + (1,0) + (16,0). `-` is no distance: threads that differ in that bit have copies.
"""
BLOCK_IR = """\
// How to read block IR: it says what each thread of the block does. All warps take the same way
// through all of it; layouts say which part of a tile a warp works on.
//   tile<f32>            one element, which every thread has
//   frag<64x32xf16, #l0> a tile in registers, spread over all threads by a layout
//   shared<64x32xf16, #s0> a tile in shared memory, at the byte `offset` of its shared_alloc;
//                        #s0 = offsets<64x32: 1 2 ...> has, for each bit of an element's row-major
//                        number, its distance in memory in elements; those of set bits are xor-ed
//   shared<..., slots=3> a ring: three slots with such a tile each, one behind the other
//   turn<3>              the slot of a ring that comes next; `advance` gives the one after it
//   flight<...>          copies of this thread to shared memory that are under way; `wait_group`
//                        waits for the oldest ones, all but the latest `pending` groups
//   pipelined_for        a loop whose prologue starts the loads of the first `ahead` iterations.
//                        The body starts those of the iteration that far ahead, if %aheadExists,
//                        and gets as %delayed what was started for its own one
//   convert_layout       to another layout: within each warp, by renaming registers and shuffles
//   fold %x over = [..]  combines the elements that differ in these bits of a coordinate: those in
//                        registers of one thread, then those of other lanes, by shuffles
//   mma                  a matrix product; each warp computes its part of the accumulator
//   barrier pairs = [..] all threads of the block wait for each other, because of these accesses
//   {vector = 8, ...}    one access of a thread moves at most 8 elements along dimension `along`;
//                        `whole`: all of them are inside of the tensor, or none is
"""
