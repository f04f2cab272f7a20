"""A package that has been read: its targets, and their kernels, which can be launched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NoReturn

from tileir.errors import LaunchError, PackageError
from tileir.formats.forks import not_forking
from tileir.gpus import capability_of, described, gpu_name, runs, runs_cubin
from tileir.launch.kernels import Kernels
from tileir.launch.roles import Roles
from tileir.launch.roles_form import roles_of_plan, written_of_plan
from tileir.messages.missing_packages import ARRAYS, needing
from tileir.messages.texts import display

from . import archive, manifest, plans

Capability = tuple[int, int]


class PackagedKernel:
    """An entry of a package: its symbol and its launch plan."""

    def __init__(self, symbol: str, plan: dict[str, Any], image: Any) -> None:
        self.symbol = symbol
        self.plan = plan
        self._image = image
        self._elements = plans.elements(plan)

    def __repr__(self) -> str:
        types = ", ".join(map(str, self._elements))
        return f"<{type(self).__name__} {display(self.symbol)}({types})>"

    def launch(self, grid: int | Sequence[int], args: Sequence[Any], *, stream: Any = None) -> None:
        """Run the kernel on the GPU of this thread's CUDA context, or else that of the arguments.

        Everything is as for a kernel that `tileir.compile` has compiled for a GPU, and neither
        llvmlite nor a compiler is needed.
        """
        with not_forking, needing(ARRAYS, "launching"):
            from tileir.codegen.device import launch as on_device

        on_device.launch(self.symbol, self.plan, self._elements, self._image(), grid, args, stream)

    @property
    def roles(self) -> Roles:
        """Which parameters are the extents and strides of which array."""
        return roles_of_plan(self.plan, self._elements)

    def launch_arrays(
        self,
        grid: int | Sequence[int],
        *args: Any,
        convention: Literal["cutile"] | None = None,
        stream: Any = None,
    ) -> None:
        """Run the kernel as `launch` does, with arrays that bring their extents and strides along.

        Everything is as for a kernel that `tileir.compile` has compiled.
        """
        with not_forking, needing(ARRAYS, "launching"):
            from tileir.codegen.arguments.by_role import Parameters, arguments_of

        written = written_of_plan(self.plan)
        kernel = Parameters(self.symbol, self._elements, self.roles, written)
        self.launch(grid, arguments_of(kernel, args, convention), stream=stream)


class PackagedKernels(Kernels[PackagedKernel]):
    """What a package has for one target: entry symbol -> kernel.

    target  the GPU that it was compiled for
    ptx     the PTX of all entries, None if the package has none
    cubin   the same as machine code, None if the package has none
    plan    entry symbol -> launch plan
    """

    def __init__(
        self, row: Mapping[str, Any], plan: dict[str, Any], ptx: str | None, cubin: bytes | None
    ) -> None:
        self.target: str = row["target"]
        self.ptx_target: str = row["ptx_target"]
        self.cubin_target: str | None = row.get("cubin_target")
        self.plan, self.ptx, self.cubin = plan, ptx, cubin
        self._loaded: Any = None
        super().__init__(
            {symbol: PackagedKernel(symbol, each, self._image) for symbol, each in plan.items()}
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self.target}: {', '.join(map(display, self))}>"

    def runs_on(self, capability: Capability) -> bool:
        """Whether a GPU of this compute capability runs the PTX or the cubin."""
        return (self.ptx is not None and runs(self.ptx_target, capability)) or (
            self.cubin_target is not None and runs_cubin(self.cubin_target, capability)
        )

    def _image(self) -> Any:
        """Return what the driver loads: PTX, which each GPU's driver finishes, before a cubin."""
        if self._loaded is None:
            with not_forking:
                from tileir.codegen.device.image import Image

            code = self.cubin if self.ptx is None else self.ptx
            assert code is not None  # the manifest has been checked
            self._loaded = Image(lambda entry: code)
        return self._loaded


class Package(Mapping[str, PackagedKernels]):
    """A package of kernels: target -> its kernels.

    `manifest` is what the package says of itself; help("tileir.tilepack") explains it.
    """

    def __init__(self, manifest: dict[str, Any], targets: dict[str, PackagedKernels]) -> None:
        self.manifest = manifest
        self._targets = targets

    @classmethod
    def parse(cls, data: bytes) -> Package:
        """Read the bytes of a package; PackageError for what is none."""
        members = archive.read_archive(data)
        found = manifest.read_manifest(members)
        return cls(found, {row["target"]: _kernels(row, members) for row in found["targets"]})

    @property
    def targets(self) -> list[str]:
        """The names of the targets, in the order in which they were asked for."""
        return list(self._targets)

    def __getitem__(self, target: str) -> PackagedKernels:
        try:
            return self._targets[target]
        except (KeyError, TypeError):
            raise KeyError(f"nothing for {target!r}; there is: {', '.join(self)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {', '.join(self)}>"

    def for_gpu(self, gpu: str | None = None) -> PackagedKernels:
        """Return the kernels for a GPU such as ``sm_86``; if None, for the one of this machine.

        Of those that run there, the ones that were compiled for the latest GPU. LaunchError if none
        does; DeviceError if there is no GPU.
        """
        capability = _own_capability() if gpu is None else _capability(gpu)
        able = [each for each in self.values() if each.runs_on(capability)]
        if not able:
            _refuse(self.values(), capability)
        return max(able, key=lambda each: (capability_of(each.target), each.target))


def load(path: str | os.PathLike[str]) -> Package:
    """Return the package in a file; `tileir.load_package` says more."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"expected the path of a package, got {type(path).__name__}")
    try:
        with open(path, "rb") as file:
            data = file.read(archive.MOST_BYTES + 1)
        if len(data) > archive.MOST_BYTES:
            raise PackageError(f"more than {archive.MOST_BYTES} bytes")
        return Package.parse(data)
    except PackageError as error:
        error.add_note(f"in {os.fspath(path)}")
        raise


def _kernels(row: Mapping[str, Any], members: Mapping[str, bytes]) -> PackagedKernels:
    files = {kind: members[each["name"]] for kind, each in row["files"].items()}
    name = row["files"]["plan"]["name"]
    found = plans.check_plans(manifest.parsed(files["plan"], name), name, row["ptx_target"])
    try:
        ptx = files["ptx"].decode() if "ptx" in files else None
    except UnicodeDecodeError:
        raise PackageError(f"{row['files']['ptx']['name']} is not UTF-8") from None
    return PackagedKernels(row, found, ptx, files.get("cubin"))


def _own_capability() -> Capability:
    with not_forking, needing(ARRAYS, "launching"):
        from tileir.codegen.device import driver

    driver.start()
    return driver.capability(driver.current_device())


def _capability(gpu: str) -> Capability:
    try:
        return capability_of(gpu)
    except (TypeError, ValueError):
        raise LaunchError(f"expected the name of a GPU such as sm_90, got {gpu!r}") from None


def _refuse(targets: Any, capability: Capability) -> NoReturn:
    there = ", ".join(f"{each.target} ({_where(each)})" for each in targets)
    raise LaunchError(f"nothing in the package runs on {gpu_name(capability)}: it is for {there}")


def _where(kernels: PackagedKernels) -> str:
    if kernels.ptx is not None:
        return f"runs on {described(kernels.ptx_target)}"
    return f"a cubin for {kernels.cubin_target}"
