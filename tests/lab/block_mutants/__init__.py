"""Every defect of the block IR at every site of many kernels, and who notices it.

`tests/codegen/block/mutants` has the classes of defects; its test tries one site of each. What is
printed in the end are the figures of each class, why defects that nobody notices change nothing,
and the barriers that nobody misses, with the accesses that each of them orders.
"""

from tests.lab.extras import need

need("ml_dtypes", "pytest")
