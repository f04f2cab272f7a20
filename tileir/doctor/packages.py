"""The Python packages that tileir uses: which are needed, for what, and which versions will do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution on PyPI and the versions that will do.

    extra  the extra of tileir that brings it: "" what is always there, None what none brings
    exact  the versions that were tried, where no others will do
    """

    name: str
    purpose: str
    extra: str | None = ""
    lowest: str = ""
    below: str = ""
    exact: tuple[str, ...] = ()

    @property
    def wanted(self) -> str:
        """The versions, in pip's spelling where pip has one."""
        if self.exact:
            return ", ".join(self.exact)
        bounds = ((">=", self.lowest), ("<", self.below))
        return ",".join(sign + bound for sign, bound in bounds if bound) or "any"

    def suits(self, found: str) -> bool:
        """Whether that version will do."""
        if self.exact:
            return found in self.exact
        number = _number(found)
        return (not self.lowest or number >= _number(self.lowest)) and (
            not self.below or number < _number(self.below)
        )


def packages() -> tuple[Package, ...]:
    """All of them; what is needed first."""
    from tileir.tools.cutile_versions import VERSIONS

    return (
        Package("construct", "reading", lowest="2.10.70", below="2.11"),
        Package("numpy", "arrays"),
        Package("ml_dtypes", "small floats"),
        Package("rich", "tables"),
        Package("pygments", "colour"),
        Package("llvmlite", "compiling", extra="codegen", lowest="0.50"),
        Package("cuda-bindings", "launches on a GPU", extra="gpu", lowest="12.9"),
        Package("cuda-tile", "cuTile programs", extra=None, exact=VERSIONS),
        Package("torch", "tensors, if wanted", extra=None),
    )


def look(package: Package) -> dict[str, Any]:
    """What is installed of a package; "version" is None for nothing."""
    found = installed(package.name)
    return {
        "name": package.name, "version": found, "supported": package.wanted,
        "ok": found is not None and package.suits(found), "needed": package.extra == "",
        "extra": package.extra, "purpose": package.purpose,
    }  # fmt: skip


def installed(name: str) -> str | None:
    """The version of a distribution that is installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _number(text: str) -> tuple[int, ...]:
    """The numbers that a version starts with: "0.51.0rc1" is 0.51.0."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()
