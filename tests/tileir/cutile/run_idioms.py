"""A program for test_torch_idioms.py: runs idioms, and prints what came of each as JSON.

With names as arguments it runs those, and prints tracebacks.
"""

import importlib
import json
import sys
import traceback

import torch

from tests.tileir.cutile.idioms import IDIOMS, SUBJECTS

for subject in SUBJECTS:
    importlib.import_module(f"tests.tileir.cutile.idioms.{subject}")
chosen = sys.argv[1:]
for name in chosen or IDIOMS:
    outcome = ""
    try:
        IDIOMS[name]()
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
        if chosen:
            traceback.print_exc()
    finally:
        torch.set_default_device(None)
    print(json.dumps([name, outcome]), flush=True)
