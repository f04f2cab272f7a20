"""What kinds of failures are called where people read: words, where a record has Python's class."""

from __future__ import annotations

from collections.abc import Mapping

from tileir import errors

_OF_CLASSES: Mapping[type[Exception], str] = {
    errors.BytecodeError: "not readable",
    errors.AssemblyError: "not readable",
    errors.PackageError: "not readable",
    errors.UnsupportedError: "not supported",
    errors.VersionError: "not supported",
    errors.VerifyError: "invalid",
    errors.BuildError: "not built",
    errors.MissingPackageError: "package missing",
    errors.ToolError: "tool failed",
    errors.LaunchError: "wrong launch",
    errors.DeviceError: "device failed",
    errors.KernelError: "kernel failed",
    errors.KernelAssertionError: "assertion failed",
    errors.EmulationError: "not emulated",
    errors.WorkerError: "worker failed",
    errors.TileIRError: "failed",
    OSError: "not read",
}
_OF_THE_EMULATOR = {"EmulatedLaunchError": "wrong launch", "UnsupportedPtxError": "not emulated"}
"""Its classes are its own, and it is only imported where kernels run on it."""
_WORDS = {kind.__name__: words for kind, words in _OF_CLASSES.items()} | _OF_THE_EMULATOR


def in_words(failure: str) -> str:
    """Return what a kind of failure is called; what is no class is words already."""
    return _WORDS.get(failure, failure)
