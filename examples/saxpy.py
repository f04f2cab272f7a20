"""y = a * x + y with cuTile and NumPy: tileir cutile saxpy.py"""

import cuda.tile as ct
import numpy as np

TILE = 256
STREAM = 0  # the default stream


@ct.kernel
def saxpy(x, y, a, tile: ct.Constant[int]):
    i = ct.bid(0)
    product = a * ct.load(x, (i,), (tile,))
    ct.store(y, (i,), product + ct.load(y, (i,), (tile,)))


x = np.arange(1000, dtype=np.float32)
y = np.ones(1000, dtype=np.float32)
ct.launch(STREAM, (ct.cdiv(x.size, TILE),), saxpy, (x, y, 2.0, TILE))
print(y[:4], y[-1])
