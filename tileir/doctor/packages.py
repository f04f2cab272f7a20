"""The Python packages that tileir uses, with their purposes and supported versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tileir.messages.missing_packages import supported_versions


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution on PyPI, of which tileir's own metadata say the supported versions.

    extra  the extra of tileir that installs it: "" if it is always installed, None if no extra does
    exact  the tested versions, if no others are supported
    tried  whether the installed one, which is not among them, has what is needed of it
    """

    name: str
    purpose: str
    extra: str | None = ""
    exact: tuple[str, ...] = ()
    tried: Callable[[], bool] | None = None

    @property
    def wanted(self) -> str:
        """The supported versions, in pip's spelling where pip has one."""
        return ", ".join(self.exact) if self.exact else supported_versions(self.name) or "any"

    def supports(self, version: str) -> bool:
        """Whether that version is supported."""
        if self.exact:
            return version in self.exact or (self.tried is not None and self.tried())
        return is_within(version, supported_versions(self.name))


def is_within(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as ``>=2.10.70,<2.11``; "" are none.

    ValueError for a sign other than ``>=`` and ``<``, which are those that we ask users for.
    """
    number = _number(version)
    for bound in filter(None, bounds.split(",")):
        sign, limit = bound[: -len(bound.lstrip("<>=!~"))], _number(bound.lstrip("<>=!~"))
        if sign not in (">=", "<"):
            raise ValueError(f"bounds of versions are >= and <, not {bound!r}")
        if number < limit if sign == ">=" else number >= limit:
            return False
    return True


def packages() -> tuple[Package, ...]:
    """Return all packages, the required ones first."""
    from tileir.tools import cutile_hooks as hooks
    from tileir.tools.cutile_versions import VERSIONS

    def tried() -> bool:
        folder = hooks.package()
        return folder is not None and not hooks.problems(folder)

    return (
        Package("construct", "reading"),
        Package("llvmlite", "compiling", extra="codegen"),
        Package("numpy", "arrays", extra="codegen"),
        Package("ml_dtypes", "small floats", extra="codegen"),
        Package("rich", "colour, progress bars", extra="colour"),
        Package("pygments", "colour", extra="colour"),
        Package("pyyaml", "remarks of tileiras", extra="remarks"),
        Package("pyelftools", "resources of cubins", extra="resources"),
        Package("fsspec", "URLs of batches, a store that machines share", extra="shared"),
        Package("pyarrow", "reports of batches as tables", extra="batch"),
        Package("dask", "batches on a cluster", extra="dask"),
        Package("distributed", "batches on a cluster", extra="dask"),
        Package("kernel_tuner", "searches of variants", extra="tuner"),
        Package("pygls", "editors", extra="lsp"),
        Package("shtab", "a shell's Tab key", extra="completion"),
        Package("cuda-bindings", "launches on a GPU", extra="gpu"),
        Package("cuda-tile", "cuTile programs", extra=None, exact=VERSIONS, tried=tried),
        Package("torch", "tensors, if wanted", extra=None),
    )


def look(package: Package) -> dict[str, Any]:
    """Return a package's row of the report; "version" is None if it is not installed."""
    version = installed(package.name)
    return {
        "name": package.name,
        "version": version,
        "supported": package.wanted,
        "ok": version is not None and package.supports(version),
        "needed": package.extra == "",
        "extra": package.extra,
        "purpose": package.purpose,
    }


def installed(name: str) -> str | None:
    """Return the installed version of a distribution, None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _number(text: str) -> tuple[int, ...]:
    """Return the numbers that a version starts with: "0.51.0rc1" is 0.51.0."""
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, match[0].split("."))) if match else ()
