"""Where NVIDIA's tools are taken from: those that are installed here, or one release in a folder.

`tileir bisect` asks the same predicate with one toolkit after the other.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tileir.errors import ToolError
from tileir.tools import nvidia


@dataclass(frozen=True, slots=True)
class Toolkit:
    """NVIDIA's tools of one release.

    folder   what has them in `bin`, as a CUDA toolkit does; None: what is installed here
    release  its name in messages, "" for what is installed
    """

    folder: Path | None = None
    release: str = ""

    def find(self, name: str) -> Path | None:
        """Return a tool, or None; a release that lacks it does not borrow that of another one."""
        if self.folder is None:
            return nvidia.find(name)
        path = self.folder / "bin" / name
        return path if path.is_file() else None

    def tool(self, name: str) -> Path:
        """Return a tool; ToolError if there is none."""
        path = self.find(name)
        if path is not None:
            return path
        if self.folder is not None:
            raise ToolError(f"release {self.release} has no {name}")
        raise nvidia.not_there(name)

    def environment(self) -> dict[str, str]:
        """Return the environment in which programs, `tileir` among them, find these tools first."""
        environment = dict(os.environ)
        if self.folder is not None:
            environment |= dict.fromkeys(nvidia.VARIABLES, str(self.folder))
            path = environment.get("PATH", os.defpath)
            environment["PATH"] = os.pathsep.join((str(self.folder / "bin"), path))
        return environment


INSTALLED = Toolkit()
"""The tools that are installed here."""
