"""What `share_common_ops` and `hoist_invariants` do to kernels: counted, verified, and run.

    python -m tests.lab.transforms fixtures/13.5          # or any folder of bytecode

The transforms are put on the kernels of a module themselves, so that what they leave can be built
and judged like any other module, and run by the model, which knows nothing of them.
"""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
