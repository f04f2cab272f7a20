"""NVIDIA's own tests of cuTile, run on our kernels for GPUs in the emulator.

    python -m tests.lab.conformance cutile/test --target sm_90 --sample 20 --results found.jsonl

The tests are not ours to copy: it takes a checkout of https://github.com/NVIDIA/cutile-python, and
cuda-tile, torch and pytest-benchmark, which they import.
"""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
