"""Every error that tileir raises on purpose. All derive from `TileIRError`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tileir.formats.errors import BuildError, BytecodeError, TileIRError, shorten
from tileir.formats.version import Version

from .messages.texts import display, printable

if TYPE_CHECKING:
    from .ir.op import Op

__all__ = [
    "AssemblyError",
    "BuildError",
    "BytecodeError",
    "DeviceError",
    "Diagnostic",
    "EmulationError",
    "Feature",
    "KernelAssertionError",
    "KernelError",
    "LaunchError",
    "MissingPackageError",
    "Problem",
    "TextPlace",
    "TileIRError",
    "UncheckedWarning",
    "UnsupportedError",
    "VerifyError",
    "VersionError",
    "WorkerError",
]


LONGEST_MESSAGE = 600
"""Most characters of a message in a listing; it may repeat types and names of the file."""


class TextPlace(NamedTuple):
    """A position in a text: the text's name, and line and column, both from 1."""

    name: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{display(self.name)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: what it is, how severe ("error" or "warning"), and where.

    kind      id of the broken rule, or the kind of oddity
    offset    absolute in the file, in bytes, or None
    function  the kernel it is in, "" outside of kernels
    location  the source location, "" when the debug section has none
    op        mnemonic of the op, or the item of the module; "" for neither
    hint      what to do, "" when the message says it
    text      position in the text that the module was assembled from, or None
    """

    severity: str
    kind: str
    message: str
    offset: int | None = None
    function: str = ""
    location: str = ""
    op: str = ""
    hint: str = ""
    text: TextPlace | None = None

    @property
    def rule(self) -> str:
        """The id of the rule that is broken; another name for `kind`."""
        return self.kind

    @classmethod
    def about(cls, op: Op, function: str, kind: str, problem: str) -> Diagnostic:
        """Return an error in an op, with the op's name, offset and source location."""
        return cls("error", kind, problem, op.offset, function, op.location_text, op.name)

    @property
    def place(self) -> str:
        """The position with which messages begin: in the text if there is one, else the offset."""
        if self.text:
            return str(self.text)
        return "" if self.offset is None else f"0x{self.offset:x}"

    def __str__(self) -> str:
        position = f"{self.place}: " if self.place else ""
        what = f"{display(self.op)}: " if self.op else ""
        function = f"in {display(self.function)}" if self.function else ""
        source = f"at {display(self.location)}" if self.location else ""
        where = " ".join(filter(None, (function, source)))
        message = printable(shorten(self.message, LONGEST_MESSAGE))
        return f"{position}{self.severity}: {what}{message}{where and f' ({where})'}"


class _Listing(TileIRError):
    """An error that lists every diagnostic that led to it, in its message too."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join([message, *(f"  {item}" for item in self.diagnostics)]))


class VerifyError(_Listing, ValueError):
    """The module is readable but breaks rules of Tile IR; `diagnostics` lists the violations."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a module uses and a version of the format lacks.

    owner     name of the op, type, attribute, debug record or section that has it
    slot      the slot, flag or enum case; empty if the whole owner is meant
    since     the first version that has it
    until     the last version that has it; None if the latest one does
    function  name of the kernel that uses it, empty outside of kernels
    times     number of uses there
    """

    owner: str
    slot: str
    since: Version
    until: Version | None = None
    function: str = ""
    times: int = 1

    def to_json(self) -> dict[str, object]:
        """Return the fields as values that JSON can hold; null for an empty function or until."""
        return {
            "owner": printable(self.owner),
            "slot": printable(self.slot),
            "since": str(self.since),
            "until": None if self.until is None else str(self.until),
            "function": printable(self.function) if self.function else None,
            "times": self.times,
        }

    def implied_by(self, other: Feature) -> bool:
        """Whether a use of `other` is also a use of this feature, and needs a version as new."""
        slot, case = self.slot, other.slot
        same = (self.owner, self.function) == (other.owner, other.function)
        if not same or not slot or self.until or other.until:
            return False
        newer_case = case.startswith(f"{slot} ") and other.since >= self.since
        newer_slot = slot.startswith(f"{case} ") and other.since > self.since
        return newer_case or (bool(case) and newer_slot)

    def __str__(self) -> str:
        what = f"{self.owner} {self.slot}".rstrip()
        return f"{what} is gone after {self.until}" if self.until else f"{what} needs {self.since}"


class VersionError(BuildError):
    """A module uses features that a version lacks; `features` lists them, once per kernel."""

    def __init__(self, version: Version, features: Sequence[Feature]) -> None:
        self.version = version
        self.features = tuple(features)
        super().__init__("\n".join([f"version {version} lacks what is used:", *self._lines()]))

    def __reduce__(self):
        return type(self), (self.version, self.features)

    def _lines(self) -> list[str]:
        uses: dict[str, list[Feature]] = {}
        for feature in self._said():
            uses.setdefault(str(feature), []).append(feature)
        return [f"  {text}{self._where(same)}" for text, same in uses.items()]

    def _said(self) -> Iterator[Feature]:
        """Yield the features that the message lists, without those that another one implies."""
        for feature in self.features:
            others = [f for f in self.features if feature.implied_by(f)]
            times = feature.times - sum(other.times for other in others)
            if times > 0:
                yield replace(feature, times=times)

    @staticmethod
    def _where(uses: Sequence[Feature]) -> str:
        """Return the kernels that use a feature, and the number of uses in all of them."""
        names = [display(feature.function) for feature in uses if feature.function]
        times = sum(feature.times for feature in uses)
        parts = [f"{times} times"] if times > 1 else []
        if names:
            parts.append(f"in {', '.join(names[:3])}{', ...' if len(names) > 3 else ''}")
        return f" ({' '.join(parts)})" if parts else ""


SHOWN_LINE = 120
"""Most characters of a source line that a message quotes."""


class Problem(NamedTuple):
    """One problem in a text.

    `line` and `column` count from 1; `column` and `length` are in characters. `source` is the line:
    `message` is about ``source[column - 1 : column - 1 + length]``, which can be shorter where the
    line ends.
    """

    line: int
    column: int
    message: str
    source: str
    length: int

    def shown(self, name: str) -> str:
        """Return ``file:line:column: error: message``, the line, and carets under the problem."""
        first = max(0, self.column - 1 - SHOWN_LINE // 2) if len(self.source) > SHOWN_LINE else 0
        line = self.source[first : first + SHOWN_LINE]
        line = "".join(c if c.isprintable() or c == "\t" else "?" for c in line)
        before = self.column - 1 - first
        margin = "".join(c if c == "\t" else " " for c in line[:before].ljust(before))
        carets = "^" + "~" * (min(self.length, len(line) - before) - 1)
        head = f"{name}:{self.line}:{self.column}: error: {self.message}"
        return f"{head}\n    {line}\n    {margin}{carets}"


class AssemblyError(TileIRError, ValueError):
    """The text is not valid Tile IR; `problems` lists its errors in the order of the text.

    `name` is the text's name, for example its file. `more` is true if there were so many problems
    that reading stopped.
    """

    def __init__(self, name: str, problems: Sequence[Problem], more: bool = False) -> None:
        self.name = name
        self.problems = list(problems)
        self.more = more
        shown = [problem.shown(name) for problem in self.problems]
        if more:
            shown.append(f"{name}: too many errors, the rest was not read")
        super().__init__("\n".join(shown))

    def __reduce__(self):
        return type(self), (self.name, self.problems, self.more)


class UnsupportedError(_Listing):
    """The module is valid but cannot be compiled for the target (yet); every reason is listed."""


class PackageError(TileIRError, ValueError):
    """A file is no package of compiled kernels, or a damaged one, or of a later release."""


class MissingPackageError(TileIRError, ModuleNotFoundError):
    """An optional package is missing; the message says how to install it."""


class LaunchError(TileIRError, ValueError):
    """The arguments or the grid of a launch do not fit the kernel."""


class DeviceError(TileIRError, RuntimeError):
    """The CUDA driver refused something, a kernel failed on the GPU, or there is no driver.

    `code` is the driver's name of the error, such as CUDA_ERROR_ILLEGAL_ADDRESS, or "". After most
    failures of a kernel, every later call of the process to the driver fails too.
    """

    def __init__(self, message: str, code: str = "") -> None:
        self.code = code
        super().__init__(message)

    def __reduce__(self):
        return type(self), (str(self), self.code)


MOST_ELEMENTS = 8
"""Most elements that a message names."""


_INLINED = ", inlined at "
"""What is between the steps of a source location."""


class KernelError(TileIRError, RuntimeError):
    """A running kernel did something that is not allowed.

    problem    what it did
    op         mnemonic of the op
    kernel     symbol of the entry
    function   the kernel's name in source, which messages have; the symbol if it is unknown
    location   the source location, "" when the debug section has none
    block      indices x, y, z of the tile block, None if unknown
    indices    indices of the tile's elements that are affected; one empty tuple for rank 0
    variables  the block's tiles by their names in source, where a launch was told to find them out
    """

    variables: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        problem: str,
        *,
        op: str,
        kernel: str,
        function: str = "",
        location: str = "",
        block: tuple[int, int, int] | None = (0, 0, 0),
        indices: Sequence[tuple[int, ...]] = ((),),
    ) -> None:
        self.problem = problem
        self.op = op
        self.kernel = kernel
        self.function = function or kernel
        self.location = location
        self.block = None if block is None else tuple(block)
        self.indices = tuple(indices)
        super().__init__(str(self))

    def __reduce__(self):
        details = {
            "op": self.op,
            "kernel": self.kernel,
            "function": self.function,
            "location": self.location,
            "block": self.block,
            "indices": self.indices,
        }
        return _again, (type(self), self.problem, details)

    def __str__(self) -> str:
        named = [list(index) for index in self.indices[:MOST_ELEMENTS] if index]
        more = len(self.indices) - len(named) if named else 0
        elements = f" at element {', '.join(map(str, named))}" if named else ""
        rest = f" and {more} more" if more else ""
        block = "" if self.block is None else f", block {self.block}"
        where = f" in {display(self.function)}{block}"
        steps = map(display, self.location.split(_INLINED))  # each has a line that counts
        source = f" ({_INLINED.join(steps)})" if self.location else ""
        return f"{self._what()}{elements}{rest}{where}{source}"

    def _what(self) -> str:
        return f"{self.op}: {printable(self.problem)}"


def _again(kind: type[KernelError], problem: str, details: dict) -> KernelError:
    return kind(problem, **details)


class KernelAssertionError(KernelError):
    """An assertion of the kernel was false.

    If several are false in a launch, this is the first one. Its message has been printed, too,
    unless `launch` was told not to.
    """

    def _what(self) -> str:
        return printable(self.problem)


MOST_THREADS = 8
"""Threads that a message names."""


class EmulationError(TileIRError, RuntimeError):
    """A kernel did on the emulator what it must not.

    kind      what sort of mistake: "race", "bounds", "poison", "deadlock" ...
    line      of the PTX, from 1; None where no line is to blame
    block     indices x, y, z of the block in the grid, in blocks of threads; None if unknown
    threads   numbers within the block of the threads that it is about, along x first
    address   where the first of these threads accessed memory; None if it did not
    schedule  the order in which warps ran; "" if nothing ran
    output    what the kernel had printed before
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        line: int | None = None,
        text: str = "",
        block: tuple[int, int, int] | None = None,
        threads: tuple[int, ...] = (),
        address: int | None = None,
        schedule: str = "",
    ) -> None:
        self.kind, self.line, self.block, self.threads = kind, line, block, threads
        self.address, self.schedule = address, schedule
        self.output = ""
        place = [f"PTX line {line}: {text}"] if line is not None else []
        if block is not None:
            more = ", ..." if len(threads) > MOST_THREADS else ""
            listed = ", ".join(map(str, threads[:MOST_THREADS])) + more
            place.append(f"block {block}, thread{'s' if len(threads) > 1 else ''} {listed}")
        place += [f"schedule {schedule}"] if schedule else []
        super().__init__("\n  ".join([f"{kind}: {message}", *place]))

    def __reduce__(self):
        return _emulated, (type(self), str(self), dict(self.__dict__))


def _emulated(kind: type[EmulationError], message: str, state: dict) -> EmulationError:
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


class UncheckedWarning(RuntimeWarning):
    """A kernel that was compiled to check its accesses cannot check some of them."""


class ToolError(TileIRError):
    """An external tool is missing or has failed; the message repeats the tool's."""


class WorkerError(TileIRError, RuntimeError):
    """A process that worked for this one was killed, crashed or failed; another takes its place.

    kind      "time" or "memory": it was killed at that limit; "answer": it had too much to say;
              "cancelled"; "crash": it died of itself; "start": there is none; "defect": an error
              of ours
    request   what it worked on, by the name that the caller gave it
    """

    def __init__(self, kind: str, request: str, problem: str) -> None:
        self.kind, self.request, self.problem = kind, request, problem
        super().__init__(f"{printable(request)}: {printable(problem)}")

    def __reduce__(self):
        return type(self), (self.kind, self.request, self.problem)
