"""Pages in a real browser: what a user does with them, each a test.

`python -m tests.browser` runs them all, and fails where a part is missing: the packages of the
extra `browser`, Chromium (Debian's `chromium`), and axe-core (`npm ci --prefix tests/browser`). A
run of all other tests leaves them out.
"""

from tests.lab.extras import need

need("playwright", "PIL", extra="browser")
