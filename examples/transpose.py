"""A matrix transposed with cuTile and torch: tileir cutile transpose.py

The program asks for a GPU, and is what runs on one.
"""

import cuda.tile as ct
import torch

TILE = 32


@ct.kernel
def transpose(x, y, tile: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, (j, i), ct.transpose(ct.load(x, (i, j), (tile, tile))))


assert torch.cuda.is_available()
x = torch.randn(100, 200, device="cuda")
y = torch.empty(200, 100, device="cuda")
grid = (ct.cdiv(x.shape[0], TILE), ct.cdiv(x.shape[1], TILE))
ct.launch(torch.cuda.current_stream(), grid, transpose, (x, y, TILE))
torch.testing.assert_close(y, x.T)
print("transposed", tuple(x.shape), "to", tuple(y.shape))
