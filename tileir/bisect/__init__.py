"""`tileir bisect`: where a predicate begins or ceases to hold of a file.

    crashes = Crashes(Subject.of("tileiras:sm_100"))
    found = bisect_releases(data, crashes.using, PackageIndex(folder))
    print(*found.changes)

search.py         the search over points in an order, of which some may have no answer
releases.py       releases of NVIDIA's tools in folders
package_index.py  the same, from the package index through pip
stages.py         stages of our compiler, and what has been compiled after each
report.py         what is printed of it
command.py        the command
"""

from .package_index import PackageIndex
from .releases import Releases, ToolkitFolders, bisect_releases
from .search import Change, Found, Point, search

__all__ = [
    "Change",
    "Found",
    "PackageIndex",
    "Point",
    "Releases",
    "ToolkitFolders",
    "bisect_releases",
    "search",
]
