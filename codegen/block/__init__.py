"""The block IR: what the threads of one block do, as a dialect on the classes of `tileir.ir`.

Ops of Tile IR that compute stay what they are, on types that say where a tile lives. New rows exist
for what is between them: memory that threads share, moves, order, matrix products, folds. This
package knows neither LLVM nor PTX; `nvptx/` makes the block IR and lowers it.
"""
