"""`Bytecode`: one Tile IR file, open for reading and for changes.

The header, the section list and the small tables are read at once; the function table, function
bodies and the debug section when first touched, so what is wrong there is an error then. Constants
and untouched bodies stay views of the bytes given to `parse`, which must not change as long as the
object is used.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from tileir.formats.cursor import Slice, brief
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.version import Version

from .errors import BytecodeError, Diagnostic
from .launch import attributes as launch
from .messages.texts import display
from .read.debug_info import DebugInfo
from .read.function import Function, Global, Section
from .read.once import once
from .read.original import AsFound
from .read.paused_collector import paused_collector
from .write.requested_version import supported
from .write.retarget import check_oddities, retarget

if TYPE_CHECKING:
    from .read.text_positions import TextPlaces

__all__ = ["Bytecode", "Function", "Global", "Section"]


class Bytecode:
    """A parsed Tile IR file. Make one with `parse`; read its attributes; write it with `build`.

    version    bytecode version of the file, a pair
    tag        16 bits of the header that say something about the whole file; 0 so far
    sections   `Section` objects in file order, ignored ones included
    strings    the string table
    types      the type table: Scalar, Tile, Pointer, ... of `tileir.types`
    constants  contents of the constant table
    globals    `Global` objects
    functions  `Function` objects: the kernels
    producer   who wrote the file, as free text, or None
    debug      the debug section, or None
    warnings   oddities found so far, as Diagnostics
    data       the bytes themselves
    found      the file as it was found, whatever has been changed since

    `launch_attributes` is what the text that it was made from says about launching its kernels and
    the bytes cannot hold, and `text` where its parts stand there; of a file, nothing and None.
    """

    @classmethod
    def parse(
        cls, data, strict: bool = False, *, limits: Limits = DEFAULT, reference: bool = False
    ) -> Bytecode:
        """Read a file's bytes (bytes, bytearray, memoryview, mmap or any buffer of bytes).

        Raises BytecodeError for what is not Tile IR bytecode, or nests deeper than `limits`. What
        NVIDIA's readers accept but no careful producer writes ends up in `warnings`; with `strict`
        it is an error, and everything is read at once. With `reference`, Construct interprets the
        schema instead of the codec that is generated from it: slow, for comparison.
        """
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits, got {limits!r}")
        try:
            view = memoryview(data)
        except TypeError:
            raise TypeError(f"expected bytes, got {type(data).__name__}") from None
        if not view.c_contiguous:
            raise TypeError("expected contiguous bytes, got a buffer with strides")
        view = view.cast("B")
        bytecode = cls(AsFound(view, limits, reference))
        return bytecode.touch(strict=True) if strict else bytecode

    def __init__(self, found: AsFound) -> None:
        self.found = found
        self.data, self.limits = found.data, found.limits
        self.version: Version = found.version
        self.tag = found.tag
        self.sections = list(found.sections)
        self.tables = found.tables
        self.strings, self.types = found.tables.strings, found.tables.types
        self.globals = [variable for variable, _ in found.globals]
        self.producer = found.producer
        self.launch_attributes = launch.NONE
        self.text: TextPlaces | None = None
        self._lock = threading.RLock()

    @once
    def functions(self) -> list[Function]:
        """The kernels. The function table is read when first asked for."""
        return list(self.found.functions)

    @property
    def constants(self) -> list[Slice]:
        """Contents of the constant table, untyped, as views of the file."""
        return list(self.tables.constants)

    @property
    def debug(self) -> DebugInfo | None:
        """The debug section, None if there is none."""
        return self.found.debug

    @classmethod
    def of(cls, given: Bytecode | bytes) -> Bytecode:
        """A Bytecode as it is, anything else as the bytes of one; see `parse`."""
        if isinstance(given, Bytecode):
            return given
        try:
            memoryview(given)
        except TypeError:
            kind = type(given).__name__
            raise TypeError(f"expected a Bytecode or bytes, got {kind}{_way_to(given)}") from None
        return cls.parse(given)

    def function(self, name: str) -> Function:
        """The function of that name; KeyError if there is none."""
        for function in self.functions:
            if function.name == name:
                return function
        names = ", ".join(display(function.name) for function in self.functions)
        raise KeyError(f"no function {name!r}; there are: {names or 'none'}")

    @property
    def warnings(self) -> list[Diagnostic]:
        """Oddities of what has been read so far; after `touch`, of everything."""
        return [
            Diagnostic(
                "warning",
                odd.kind,
                f"{odd.section}: {brief(odd.place)}: {odd.message}",
                odd.offset,
            )
            for odd in self.found.all_oddities()
        ]

    def touch(self, strict: bool = False) -> Bytecode:
        """Read everything that is otherwise read on demand, and return self.

        What nothing uses cannot be wrong, only odd: that is looked at when the warnings are asked
        for. With `strict`, raise BytecodeError for the first oddity.
        """
        found = self.found
        with paused_collector():
            for function in found.functions:
                _ = function.type, function.hints, function.argument_attributes
            for function in found.functions:
                _ = function.body
                function.check_locations()
        _ = found.debug
        found.look_at_unused()
        if strict:
            self._refuse_oddities()
        return self

    def _refuse_oddities(self) -> None:
        for odd in self.found.first_oddities():
            raise BytecodeError(
                "noncanonical",
                offset=odd.offset,
                section=odd.section,
                path=odd.path,
                expected="nothing unusual",
                found=odd.message,
            )

    def build(self, check: bool = True) -> bytes:
        """The file's bytes, with what was changed since it was read.

        Functions that did not change are the bytes they came from; those that did are written the
        shortest way. `functions` and `globals` may be edited, of a function the name, hints,
        argument attributes, location and all of its body, and the producer. BuildError, naming the
        place, if something cannot be written, or if an op breaks a rule that it kept before; that
        is not asked without `check`, for those who test what reads such files.
        """
        from .write.changes import rewritten

        return rewritten(self, check)

    def to_version(self, version: Version | str | tuple[int, int]) -> Bytecode:
        """The same module in another version of the format, for example ``to_version("13.1")``.

        Nothing is lost. All that the version lacks is listed in one VersionError; what is odd about
        the file (`warnings`) stays odd, or BuildError lists what could not. ValueError if `version`
        is no version at all, BytecodeError if the file cannot be read to the end.

        The way back gives the same bytes, but for two things that cannot be known: whether there
        was a token type before print_tko of 13.1 got its token, and whether a 13.1 to 13.4 kernel
        without hints said so. This is about the format; what else NVIDIA's older releases refuse
        (13.1 and 13.2 the hint key "default", 13.2 most rounding modes of ftof) stays as it is.
        """
        target = supported(version)
        same = Bytecode.parse(self.build(), limits=self.limits)
        same.launch_attributes = self.launch_attributes
        if target == self.version:
            return same
        other = Bytecode.parse(retarget(same.touch(), target), limits=self.limits)
        other.launch_attributes = self.launch_attributes
        check_oddities(same, other)
        return other

    def __repr__(self) -> str:
        try:
            names = ", ".join(function.name for function in self.functions)
        except BytecodeError:
            names = "functions that cannot be read"
        return f"<Bytecode {self.version}, {len(self.data)} bytes: {names}>"


def _way_to(given: object) -> str:
    """How bytecode is made of what is none."""
    if isinstance(given, str):
        return "; tileir.assemble(text) makes one of a text, Path(name).read_bytes() reads a file"
    return "; give what its read_bytes() returns" if isinstance(given, os.PathLike) else ""
