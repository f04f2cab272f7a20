"""A program for test_torch_idioms.py: runs all idioms, and prints what came of each as JSON."""

import json
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F  # noqa: N812  as programs have it
from tests.tileir.cutile.torch_idioms import IDIOMS

chosen = set(sys.argv[1:])
for name, source, *_ in IDIOMS:
    if chosen and name not in chosen:
        continue
    start = time.process_time()
    try:
        exec(compile(source, name, "exec"), {"torch": torch, "nn": nn, "F": F, "np": np})
        outcome = ""
    except BaseException as error:
        outcome = f"{type(error).__name__}: {error}"
        if chosen:
            import traceback
            traceback.print_exc()
    finally:
        torch.set_default_device(None)
    print(json.dumps([name, outcome, round(time.process_time() - start, 2)]), flush=True)
