"""Python runs this at its start where the folder is on its path: processes that tests start."""

import os

from tests.lab.conformance.counting import count_launches
from tests.lab.conformance.in_place import IN_PLACE, install_in_place
from tests.lab.conformance.on_emulator import TARGET, replace_launches

if TARGET in os.environ:
    replace_launches(os.environ[TARGET])
    count_launches()

if IN_PLACE in os.environ:
    install_in_place(os.environ[IN_PLACE])
