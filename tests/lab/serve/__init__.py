"""A server under load: thousands of requests, hostile ones among them, and what it takes.

`traffic` makes the requests, `session` sends them to a server and checks each answer, `python -m
tests.lab.serve` prints the table.
"""

from tests.lab.extras import need

need("construct", "llvmlite", "numpy")
