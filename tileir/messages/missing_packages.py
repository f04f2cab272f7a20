"""The error about optional packages that are needed but not installed.

It names the packages themselves, since this project is not on PyPI, where its extras would be, with
the versions that they may have, which are read from the metadata of the installed tileir.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType

from tileir.errors import MissingPackageError
from tileir.formats.forks import not_forking

ARRAYS = ("numpy", "ml_dtypes")
CODEGEN = ("llvmlite", *ARRAYS)
"""The packages of the extra ``codegen``, by the names of PyPI, which are those of their modules."""

COLOUR = ("rich", "pygments")
"""The packages of the extra ``colour``."""

_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^]]*\])?\s*([^\s]*)")
"""A requirement of the package's metadata, without its condition: its name, and the versions."""
_FOR_TESTS = re.compile(r"\bextra == ['\"](?:test|docs|browser|stores)['\"]")
"""The condition of one that those who work on tileir need, in the version that they try."""

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
    """Return the error that `what` needs these packages, none of which is installed."""
    return MissingPackageError(needs(what, packages))


def needs(what: str, names: Sequence[str], tools: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the message that `what` needs packages, by their modules, or tools.

    tools  name of a tool -> the package on PyPI that has it
    """
    *others, last = [_ON_PYPI.get(name, name) for name in names]
    listed = f"{', '.join(others)} and {last}" if others else last
    how = pip_install(*(tools.get(name, name) for name in names))
    return f"{what} needs {listed}; install {'them' if others else 'it'} with: {how}"


def pip_install(*packages: str) -> str:
    """Return the line for a shell that installs packages, by their modules or names on PyPI."""
    return f"pip install {' '.join(map(_quoted, packages))}"


def not_installed(*packages: str) -> str:
    """Return that packages, given as to `pip_install`, are not installed, and how they are."""
    names = [_ON_PYPI.get(package, package) for package in packages]
    what = f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} not installed"
    return f"{what} ({pip_install(*packages)})"


def _quoted(package: str) -> str:
    name = _ON_PYPI.get(package, package)
    versions = supported_versions(name)
    return f'"{name}{versions}"' if versions else name


def supported_versions(name: str) -> str:
    """Return the versions of a package on PyPI that tileir's own metadata ask for, "" for any.

    They are spelled as pip takes them: ``>=0.50,<0.51``.
    """
    return _supported().get(_normalised(name), "")


@cache
def _supported() -> Mapping[str, str]:
    """Return the versions of all packages that an extra for users brings, by normalised names."""
    with not_forking:
        from importlib.metadata import PackageNotFoundError, requires

    try:
        listed = requires("tileir") or ()
    except PackageNotFoundError:  # a checkout on the path, which nobody has installed
        return {}
    found: dict[str, str] = {}
    for line in listed:
        requirement, _, condition = line.partition(";")
        match = _REQUIREMENT.match(requirement.strip())
        if match and not _FOR_TESTS.search(condition):
            bounds = sorted(match[2].split(","), reverse=True)  # the lower one first
            found.setdefault(_normalised(match[1]), ",".join(bounds))
    return found


def _normalised(name: str) -> str:
    return name.replace("_", "-").lower()


def is_installed(package: str) -> bool:
    """Whether a package can be imported, by the name of its module."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # ValueError for what a program has marked as absent
        return False
