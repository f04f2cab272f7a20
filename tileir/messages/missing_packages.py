"""The error about optional packages that are needed but not installed.

It names the packages themselves, since this project is not on PyPI, where its extras would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec

from tileir.errors import MissingPackageError

ARRAYS = ("numpy", "ml_dtypes")
CODEGEN = ("llvmlite", *ARRAYS)
"""The packages of the extra ``codegen``, by the names of PyPI, which are those of their modules."""

COLOUR = ("rich", "pygments")
"""The packages of the extra ``colour``."""

_ON_PYPI = {"elftools": "pyelftools", "yaml": "pyyaml"}
"""Name of a module -> the package on PyPI that has it, where that is another name."""


@contextmanager
def needing(packages: Sequence[str], what: str) -> Iterator[None]:
    """Turn a failed import of one of `packages` inside into a MissingPackageError."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if isinstance(error, MissingPackageError) or name not in packages:
            raise
        lacking = [package for package in packages if not is_installed(package)]
        raise missing(lacking or [name], what) from None


def compiling() -> AbstractContextManager[None]:
    """Turn a failed import of a package of the extra ``codegen`` into a MissingPackageError."""
    return needing(CODEGEN, "compiling")


def missing(packages: Sequence[str], what: str) -> MissingPackageError:
    """Return the error that `what` needs these packages of PyPI, none of which is installed."""
    *others, last = packages = [_ON_PYPI.get(package, package) for package in packages]
    listed = f"{', '.join(others)} and {last}" if others else last
    them = "them" if others else "it"
    how = f"install {them} with: pip install {' '.join(packages)}"
    return MissingPackageError(f"{what} needs {listed}; {how}")


def is_installed(package: str) -> bool:
    """Whether a package can be imported, by the name of its module."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # ValueError for what a program has marked as absent
        return False
