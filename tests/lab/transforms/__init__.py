"""What `share_common_ops` and `hoist_invariants` do to kernels: counted, verified, and run.

    python -m tests.lab.transforms fixtures/13.5          # or any folder of bytecode
    python -m tests.lab.transforms --opt --launch fixtures/13.5

The transforms are put on the kernels of a module themselves, so that what they leave can be built
and judged like any other module, and run by the model, which knows nothing of them. So are the
passes of `tileir opt`, all of them, also on programs of which much is known (`constants.py`).
"""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
