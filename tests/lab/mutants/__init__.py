"""How strong a test suite is: small faults put into the product, and which test notices each.

Two suites of the same product are compared, today's (`old`) and another (`new`): whatever `old`
notices, `new` has to notice too. `python -m tests.lab.mutants --help` says how.
"""

from tests.lab.extras import need

need("rich")
