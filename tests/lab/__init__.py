"""What measures and proves: a model of the ops, fuzzing, benchmarks, mutants, cuTile's tests."""

import os

os.environ.setdefault("TILEIR_CACHE_DIR", "off")  # nothing is proved by what was compiled before
