"""Commands of `tileir` as programs: on files, on a large module, on stdin, on broken input.

    python -m tests.lab.tools FOLDER

subjects.py  the files of the folder, and what is known of each
asked.py     a row for each command: how it is asked, and what makes its answer right
running.py   a command as a process: its exit code, CPU time and memory
judging.py   right, refused or a defect
ledger.py    what was tried stays tried
broken.py    input that is none, and the exit code that it has to give
tables.py    the tables
"""

from tests.lab.extras import need

need("numpy")
